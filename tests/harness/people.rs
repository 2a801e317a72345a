//! The people behind the counter: who gives money back, and who decides.

use crate::Till;
use yidan_engine::{
    Act, Approval, CaseRow, Decision, Engine, NewRefund, Operator, RefundRules, Refunded, Role, Signature,
};
use yidan_payment::{CaseKind, Fen, Payment, RequestId};

/// The manager's PIN in every shop.
pub const MANAGER_PIN: &str = yidan::demo::DEMO_PIN;
/// The cashier's.
pub const CASHIER_PIN: &str = "314159";

impl Till {
    /// Gives money back with the manager's PIN: one new draft.
    pub async fn refunds(&self, payment: &Payment, amount: Fen) -> Refunded {
        self.tries_to_refund(new_request(), payment, amount).await.expect("it can be refunded")
    }

    /// Presses the button of a draft.
    ///
    /// # Errors
    /// As the engine says.
    pub async fn tries_to_refund(
        &self,
        request_id: RequestId,
        payment: &Payment,
        amount: Fen,
    ) -> Result<Refunded, String> {
        let pay_id = payment.pay_id;
        self.asks(move |engine| async move {
            let approval = approve(&engine, Act::Refund { pay_id, amount });
            let reason = "顾客退货".to_owned();
            let wanted =
                NewRefund { request_id, pay_id, trade_no: None, amount, reason, seen_refunded: None, approval };
            engine.refund(wanted).await.map_err(|error| error.to_string())
        })
        .await
    }

    /// Tries a refused refund again.
    ///
    /// # Errors
    /// As the engine says.
    pub async fn retries_refund(&self, request_id: RequestId) -> Result<Refunded, String> {
        self.asks(move |engine| async move {
            let known = engine.find_refund(request_id).expect("readable").expect("a refund");
            let act = Act::Refund { pay_id: known.payment.pay_id, amount: known.refund.amount };
            let approval = approve(&engine, act);
            engine.retry_refund(request_id, approval).await.map_err(|error| error.to_string())
        })
        .await
    }

    /// The manager decides the open case of this kind.
    ///
    /// # Errors
    /// As the engine says.
    pub async fn decides(&self, kind: CaseKind, decision: Decision) -> Result<CaseRow, String> {
        let case = self.open_cases().await.into_iter().find(|case| case.kind == kind).expect("such a case is open");
        self.decides_case(&case, decision).await
    }

    /// The manager decides a case.
    ///
    /// # Errors
    /// As the engine says.
    pub async fn decides_case(&self, case: &CaseRow, decision: Decision) -> Result<CaseRow, String> {
        let case_id = case.case_id;
        self.asks(move |engine| async move {
            let approval = approve(&engine, Act::Decide(case_id));
            engine.decide(case_id, decision, approval).await.map_err(|error| error.to_string())
        })
        .await
    }

    /// A cashier is taken on, who may give back so much alone.
    pub async fn takes_on_a_cashier(&self, limit: Fen) -> Operator {
        self.asks(move |engine| async move {
            let rules = RefundRules { cashier_limit: limit, approver_must_differ: false };
            engine.save_refund_rules(rules, &approve(&engine, Act::Rule)).expect("the rules are kept");
            let rule = approve(&engine, Act::Rule);
            engine.add_operator("小林", Role::Cashier, CASHIER_PIN, &rule).expect("a cashier")
        })
        .await
    }
}

/// A new draft of a refund.
#[must_use]
pub fn new_request() -> RequestId {
    RequestId::new(uuid::Uuid::now_v7())
}

/// The manager that every demo has.
#[must_use]
pub fn manager(engine: &Engine) -> Operator {
    engine.database().find_operator().expect("readable").expect("a demo has a manager")
}

/// The manager's approval.
#[must_use]
pub fn approve(engine: &Engine, act: Act) -> Approval {
    let manager = manager(engine);
    let who = Signature { asked_by: "", approved_by: &manager.operator_id, pin: MANAGER_PIN };
    engine.authorise(act, who).expect("the right PIN")
}
