//! Faults to come: what the next calls suffer. A queue in memory; nothing here changes the ledger.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

/// What goes wrong. Each says whether the call has its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Effect done; the connection is cut without an answer.
    LoseAnswer,
    /// No effect; the connection is cut without an answer.
    DropBefore,
    /// Effect done at once; the answer comes so many milliseconds later.
    Delay(u64),
    /// No effect; 20000 `isp.unknow-error`.
    Unavailable20000,
    /// No effect; 40004 `ACQ.SYSTEM_ERROR`.
    SystemErrorBefore,
    /// Effect done; 40004 `ACQ.SYSTEM_ERROR`.
    SystemErrorAfter,
    /// Effect done; the signature belongs to another text.
    BadSignature,
    /// Effect done; the body was changed after it was signed.
    TamperedBody,
    /// Effect done; HTTP 200 with nothing in it.
    EmptyOk,
    /// Effect done; HTTP 200 with a GBK error page.
    GbkHtml,
    /// Effect done; the business result comes without `sign`.
    Unsigned,
    /// No effect; 40005 `isv.app-call-limited`.
    Limited40005,
    /// Effect done; the answer states another `total_amount`, in fen, and is signed.
    WrongAmount(i64),
    /// No effect; `cancel` answers `retry_flag` Y, every other method 40004 `ACQ.SYSTEM_ERROR`.
    RetryFlagY,
    /// No effect; `refund` answers 10000 with `fund_change` N, every other method 40004 `ACQ.SYSTEM_ERROR`.
    FundChangeN,
    /// Effect done; the HTTP answer has no `Date` header.
    NoDateHeader,
}

/// One entry of the queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fault {
    /// Only calls of this method suffer it; `None`: any call.
    #[serde(default)]
    pub method: Option<String>,
    pub kind: FaultKind,
    /// How many calls suffer it.
    #[serde(default = "once")]
    pub times: u32,
}

impl Fault {
    /// The next call of `method` suffers `kind`.
    pub fn once(method: &str, kind: FaultKind) -> Self {
        Self { method: Some(method.to_owned()), kind, times: once() }
    }
}

fn once() -> u32 {
    1
}

/// Faults in the order in which they were asked for.
#[derive(Debug, Default)]
pub struct FaultQueue {
    queue: Mutex<VecDeque<Fault>>,
}

impl FaultQueue {
    pub fn push(&self, fault: Fault) {
        if fault.times > 0 {
            self.lock().push_back(fault);
        }
    }

    pub fn clear(&self) {
        self.lock().clear();
    }

    pub fn list(&self) -> Vec<Fault> {
        self.lock().iter().cloned().collect()
    }

    /// Takes the first fault that concerns `method`, once.
    pub fn take(&self, method: &str) -> Option<FaultKind> {
        let mut queue = self.lock();
        let at = queue.iter().position(|fault| fault.method.as_deref().is_none_or(|wanted| wanted == method))?;
        let fault = queue.get_mut(at)?;
        let kind = fault.kind;
        fault.times -= 1;
        if fault.times == 0 {
            queue.remove(at);
        }
        Some(kind)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Fault>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_meets_only_its_method_and_only_so_often() {
        let queue = FaultQueue::default();
        queue.push(Fault { method: Some("alipay.trade.query".to_owned()), kind: FaultKind::EmptyOk, times: 2 });
        queue.push(Fault { method: None, kind: FaultKind::LoseAnswer, times: 1 });
        assert_eq!(queue.take("alipay.trade.query"), Some(FaultKind::EmptyOk));
        assert_eq!(queue.take("alipay.trade.close"), Some(FaultKind::LoseAnswer));
        assert_eq!(queue.take("alipay.trade.query"), Some(FaultKind::EmptyOk));
        assert_eq!(queue.take("alipay.trade.query"), None);
    }

    #[test]
    fn faults_are_written_as_words_or_as_a_word_with_a_number() {
        let read = |text| serde_json::from_str::<Fault>(text).unwrap();
        assert_eq!(read(r#"{"kind":"lose_answer"}"#).kind, FaultKind::LoseAnswer);
        assert_eq!(read(r#"{"kind":{"delay":5}}"#).kind, FaultKind::Delay(5));
        assert_eq!(read(r#"{"kind":"limited40005"}"#).kind, FaultKind::Limited40005);
    }
}
