//! What headquarters tells a terminal: notices of Alipay and instructions, numbered without a gap, each kept until the
//! terminal says that it is durable there.

use serde::{Deserialize, Serialize};
use yidan_payment::{Fen, Id, OutTradeNo, TradeNo};

/// The kind of thing a [`PushId`] names.
pub enum PushKind {}
/// Names what was told, for ever: also after headquarters was restored and counts anew.
pub type PushId = Id<PushKind>;

/// One thing headquarters tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Push {
    /// 1, 2, 3, … without a gap, per terminal.
    pub seq: i64,
    /// Its name.
    pub id: PushId,
    /// What it is.
    pub what: Told,
}

/// What is told.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Told {
    /// Alipay sent a notice; the body as it came. The terminal checks its signature again itself.
    Notice {
        /// The form.
        body: String,
    },
    /// Headquarters wants something done.
    Instruction {
        /// What.
        instruction: Instruction,
    },
    /// Said by a newer headquarters. It is passed over, and headquarters learns so.
    #[serde(other)]
    Unknown,
}

/// A notice names the buyer.
impl std::fmt::Debug for Told {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Told::Notice { .. } => f.write_str("Notice(…)"),
            Told::Instruction { instruction } => f.debug_tuple("Instruction").field(instruction).finish(),
            Told::Unknown => f.write_str("Unknown"),
        }
    }
}

/// What headquarters wants done. Executed once, under the terminal's own rules; an earlier decision there wins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "kebab-case")]
pub enum Instruction {
    /// Ask the gateway once more.
    Ask {
        /// About which number.
        out_trade_no: OutTradeNo,
    },
    /// Decide about money in suspense.
    Resolve {
        /// Of which payment.
        out_trade_no: OutTradeNo,
        /// Whose money.
        trade_no: TradeNo,
        /// How.
        resolution: Resolution,
        /// Who decided at headquarters.
        by: String,
    },
    /// Give money back.
    Refund {
        /// Of which payment.
        out_trade_no: OutTradeNo,
        /// How much.
        amount_fen: Fen,
        /// Why, for the bill.
        reason: String,
        /// Who decided at headquarters.
        by: String,
    },
    /// Wanted by a newer headquarters.
    #[serde(other)]
    Unknown,
}

/// What becomes of money in suspense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Resolution {
    /// It pays for the sale.
    Recognise,
    /// It goes back to the buyer.
    Refund,
}

/// Payload of an `instructed` event: what became of an instruction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instructed {
    /// Which.
    pub id: PushId,
    /// What became of it.
    pub outcome: InstructionOutcome,
    /// A sentence for a person; empty if there is nothing to say.
    pub detail: String,
}

/// What became of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum InstructionOutcome {
    /// It was done, or begun; what comes of it is told by the payment's own events.
    Done,
    /// The terminal's own rules do not allow it, or it was decided there before.
    Refused,
    /// This terminal does not know such an instruction.
    NotUnderstood,
}

impl InstructionOutcome {
    /// The word stored in the database.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            InstructionOutcome::Done => "DONE",
            InstructionOutcome::Refused => "REFUSED",
            InstructionOutcome::NotUnderstood => "NOT_UNDERSTOOD",
        }
    }
}

/// Body of `POST /api/v1/stream/ack`, and the query of `GET /api/v1/stream`: how far the terminal has handled what it was
/// told, durably. The name tells headquarters whether it still has the history that this number comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Heard {
    /// The last number handled; 0 before the first.
    pub after: i64,
    /// Its name.
    pub id: Option<PushId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_newer_headquarters_says_is_passed_over() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        let push: Push =
            serde_json::from_str(&format!(r#"{{"seq":3,"id":"{id}","what":{{"kind":"song","text":"…"}}}}"#)).unwrap();
        assert_eq!(push.what, Told::Unknown);
        let told: Told =
            serde_json::from_str(r#"{"kind":"instruction","instruction":{"act":"dance","steps":3}}"#).unwrap();
        assert_eq!(told, Told::Instruction { instruction: Instruction::Unknown });
    }

    #[test]
    fn the_debug_of_a_notice_names_no_buyer() {
        let told = Told::Notice { body: "buyer_logon_id=alice".into() };
        assert_eq!(format!("{told:?}"), "Notice(…)");
        let text = serde_json::to_string(&told).unwrap();
        assert_eq!(serde_json::from_str::<Told>(&text).unwrap(), told);
    }
}
