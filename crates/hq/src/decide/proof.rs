//! What Alipay's signed statements prove about money that went back.

use yidan_payment::{Evidence, Refund};

/// Whether a statement proves a refund. A paid trade is closed only by giving all of it back: `all` says that the
/// refunds reported for it come to exactly what it brought.
pub(super) fn proves_refund(evidence: &Evidence, refund: &Refund, all: bool) -> bool {
    match evidence {
        Evidence::RefundedOurs(fact) | Evidence::RefundedElsewhere(fact) => {
            fact.trade_no == refund.trade_no
                && fact.amount == refund.amount
                && fact.out_request_no == refund.out_request_no
        }
        Evidence::TradeClosedPaid(paid) | Evidence::CancelRefunded(paid) => all && paid.trade_no == refund.trade_no,
        Evidence::TradeClosed(trade) => all && trade.trade_no == refund.trade_no,
        Evidence::QrIssued { .. }
        | Evidence::Refused(_)
        | Evidence::RefusedTradeExists(_)
        | Evidence::NoTrade(_)
        | Evidence::WaitBuyerPay(_)
        | Evidence::Paid(_)
        | Evidence::RefundMoved(_)
        | Evidence::RefundAccepted { .. }
        | Evidence::RefundRefused { .. }
        | Evidence::NotRefunded(_)
        | Evidence::CloseAccepted
        | Evidence::CloseRefused(_) => false,
    }
}
