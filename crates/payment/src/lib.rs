//! What a payment is and may become.
//!
//! Pure: no clock, no disk, no network, no async. Start with [`apply`] in `transition.rs`: it is the whole life of a payment.

mod event;
mod evidence;
mod fen;
mod id;
mod intent;
mod order;
mod outcome;
mod reconcile;
mod record;
mod refund;
mod status;
mod time;
mod transition;
mod wish;

pub use event::{ChainError, Event, Hash, HashError, check_chain};
pub use evidence::{
    Evidence, GatewayError, NoRefund, NoTrade, PaidTrade, PrecreateOrder, Proof, QrCode, RefundFact, Refusal,
    SeenTrade, Source, Statement,
};
pub use fen::{Fen, FenError};
pub use id::{
    CaseId, EventId, Id, NumberError, OrderId, OutTradeNo, PaymentId, RefundId, RequestId, SaleId, TradeNo, kind,
};
pub use intent::Intent;
pub use order::{OrderStatus, order_status};
pub use outcome::{CaseKind, Input, NewCase, Outcome, Proposal, Step, WishRefused};
pub use reconcile::{
    BillRow, Class, Coverage, Finding, MIDNIGHT, OurBooks, OurReceipt, OurRefund, RowKind, Whose, reconcile,
};
pub use record::{
    Account, Booked, Books, BooksError, CLOSE_GAP, GRACE, Method, Payment, Receipt, Refund, RefundOrigin, RefundStatus,
    RefundWish, StatusError, StoppedBy, WATCH,
};
pub use refund::{HeldBack, REFUND_PATIENCE, Refunding};
pub use status::{Death, Money, Status, StatusName};
pub use time::UtcMs;
pub use transition::{apply, next_step};
