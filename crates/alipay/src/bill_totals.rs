//! What a bill's rows add up to, and what the bill itself says they add up to.

use crate::bill::{BillError, BillKind, BillLine, read_fen};

/// Sums over a bill, in fen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Trades.
    pub trades: Sums,
    /// Refunds; the sums are negative.
    pub refunds: Sums,
    /// Fees: negative when taken.
    pub fee_fen: i64,
}

/// Sums over one kind of row, in fen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// How many rows.
    pub count: u64,
    /// Σ order amounts.
    pub order_fen: i64,
    /// Σ what the merchant received.
    pub receipt_fen: i64,
    /// Σ the merchant's discounts.
    pub merchant_discount_fen: i64,
}

impl Totals {
    /// What is left for the merchant: received less refunded less fees.
    #[must_use]
    pub fn net_fen(&self) -> i64 {
        self.trades.receipt_fen + self.refunds.receipt_fen + self.fee_fen
    }

    pub(crate) fn add(&mut self, line: &BillLine) {
        self.fee_fen += line.fee_fen;
        match line.kind {
            BillKind::Trade => self.trades.add(line),
            BillKind::Refund => self.refunds.add(line),
            BillKind::Other(_) => {}
        }
    }

    /// Compares with the bill's own lines:
    /// `#交易合计：5笔，商家实收共12450.56元，商家优惠共5.00元`, `#退款合计：3笔，商家实收退款共-84.80元，商家优惠退款共-5.00元`.
    pub(crate) fn check(&self, stated: &[String]) -> Result<(), BillError> {
        for (name, sums) in [("交易合计", &self.trades), ("退款合计", &self.refunds)] {
            let line = stated.iter().find(|line| line.contains(name)).ok_or(BillError::CutOff)?;
            let (count, amounts) = read_stated(line).ok_or(BillError::WrongTotals)?;
            let expected = [sums.receipt_fen, sums.merchant_discount_fen];
            if count != sums.count
                || amounts.is_empty()
                || amounts.iter().zip(expected).any(|(stated, sum)| *stated != sum)
            {
                return Err(BillError::WrongTotals);
            }
        }
        Ok(())
    }
}

impl Sums {
    fn add(&mut self, line: &BillLine) {
        self.count += 1;
        self.order_fen += line.order_fen;
        self.receipt_fen += line.receipt_fen;
        self.merchant_discount_fen += line.merchant_discount_fen;
    }
}

/// The number before 笔, and the amounts between 共 and 元.
fn read_stated(line: &str) -> Option<(u64, Vec<i64>)> {
    let (before, rest) = line.split_once('笔')?;
    let count = before.rsplit(['：', ':']).next()?.trim().parse().ok()?;
    let amounts =
        rest.split('共').skip(1).map(|text| read_fen(text.split_once('元')?.0.trim())).collect::<Option<_>>()?;
    Some((count, amounts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_totals_line_of_a_bill() {
        let line = "#退款合计：3笔，商家实收退款共-84.80元，商家优惠退款共-5.00元";
        assert_eq!(read_stated(line), Some((3, vec![-8480, -500])));
        assert_eq!(read_stated("#交易合计：0笔，商家实收共0元，商家优惠共0元"), Some((0, vec![0, 0])));
        assert_eq!(read_stated("#交易合计：x笔"), None);
    }
}
