//! Whether lines of a journal follow what is known of it.
//!
//! Must always hold: what is stored is lines 1…N of one history, without a gap. A line that is known already is
//! answered as before; a line that contradicts a known one is another history and nothing of its batch is stored.

use std::collections::{HashMap, HashSet};
use yidan_payment::{ChainError, Event, EventId, Hash, check_chain};

/// The last line known of a journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Head {
    /// Its number; 0 before the first.
    pub seq: i64,
    /// Its hash; [`Hash::ZERO`] before the first.
    pub hash: Hash,
}

/// A line that is stored already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its number.
    pub seq: i64,
    /// Its name.
    pub event_id: EventId,
    /// Its hash.
    pub hash: Hash,
}

/// What to do with a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// Store these, which may be none, and answer with the new head.
    Follow {
        /// The lines that are new and follow without a gap.
        new: &'a [Event],
        /// The head afterwards.
        head: Head,
    },
    /// Another history: store nothing, keep the line apart, refuse.
    Conflict {
        /// The first line that differs.
        line: &'a Event,
        /// Why.
        why: ConflictReason,
    },
}

/// How two histories contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConflictReason {
    /// The number is taken by another line.
    #[error("headquarters knows another line under this number: a restored or cloned database")]
    OtherLine,
    /// The name is taken by another line.
    #[error("this event is known under another number: a restored or cloned database")]
    OtherNumber,
    /// It does not follow the line before.
    #[error("this line does not follow the last known one: a restored or cloned database")]
    Fork,
    /// It was changed after it was written.
    #[error("this line does not have the hash it states: it was changed after it was written")]
    Changed,
}

/// Judges a batch against the head and the lines known by number or name among those of the batch.
///
/// A gap is no conflict: what follows it is not stored, and the answer says where to send from.
#[must_use]
pub fn judge<'a>(head: Head, known: &[Line], events: &'a [Event]) -> Verdict<'a> {
    let old = events.iter().take_while(|event| event.seq <= head.seq).count();
    let (old, rest) = events.split_at(old);
    let by_seq: HashMap<i64, &Line> = known.iter().map(|line| (line.seq, line)).collect();
    let differs = |event| differs(event, by_seq.get(&event.seq).copied());
    if let Some((line, why)) = old.iter().find_map(|event: &Event| Some((event, differs(event)?))) {
        return Verdict::Conflict { line, why };
    }
    let contiguous = rest.iter().zip(head.seq + 1..).take_while(|(event, seq)| event.seq == *seq).count();
    let new = &rest[..contiguous];
    let mut names: HashSet<EventId> = known.iter().map(|line| line.event_id).collect();
    if let Some(line) = new.iter().find(|event| !names.insert(event.event_id)) {
        return Verdict::Conflict { line, why: ConflictReason::OtherNumber };
    }
    follow(head, new)
}

/// How a line of the known part differs from what is stored.
fn differs(event: &Event, known: Option<&Line>) -> Option<ConflictReason> {
    if !known.is_some_and(|line| line.event_id == event.event_id && line.hash == event.hash) {
        return Some(ConflictReason::OtherLine);
    }
    (!event.is_intact()).then_some(ConflictReason::Changed)
}

fn follow(head: Head, new: &[Event]) -> Verdict<'_> {
    let (seq, why) = match check_chain((head.seq, head.hash), new) {
        Ok((seq, hash)) => return Verdict::Follow { new, head: Head { seq, hash } },
        Err(ChainError::Fork(seq)) => (seq, ConflictReason::Fork),
        Err(ChainError::Changed(seq)) => (seq, ConflictReason::Changed),
        Err(ChainError::Gap { found, .. }) => (found, ConflictReason::OtherLine),
    };
    match new.iter().find(|event| event.seq == seq) {
        Some(line) => Verdict::Conflict { line, why },
        None => Verdict::Follow { new: &[], head },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yidan_payment::UtcMs;

    const START: Head = Head { seq: 0, hash: Hash::ZERO };

    fn journal(words: &[&str]) -> Vec<Event> {
        let mut prev = Hash::ZERO;
        (1_i64..)
            .zip(words)
            .map(|(seq, word)| {
                let id = EventId::new(uuid::Uuid::from_u128(u128::from(seq.unsigned_abs())));
                let event = Event::next(seq, id, "noticed".into(), UtcMs(seq), format!("\"{word}\""), prev);
                prev = event.hash;
                event
            })
            .collect()
    }

    fn known(events: &[Event]) -> Vec<Line> {
        events.iter().map(|event| Line { seq: event.seq, event_id: event.event_id, hash: event.hash }).collect()
    }

    fn head(events: &[Event]) -> Head {
        events.last().map_or(START, |event| Head { seq: event.seq, hash: event.hash })
    }

    #[test]
    fn new_lines_follow_and_known_ones_are_passed_over() {
        let events = journal(&["a", "b", "c"]);
        assert_eq!(judge(START, &[], &events), Verdict::Follow { new: &events, head: head(&events) });
        assert_eq!(
            judge(head(&events[..2]), &known(&events[..2]), &events),
            Verdict::Follow { new: &events[2..], head: head(&events) }
        );
        assert_eq!(judge(head(&events), &known(&events), &events), Verdict::Follow { new: &[], head: head(&events) });
    }

    /// SY7: a batch may be stored in part; the answer says how far.
    #[test]
    fn what_comes_after_a_gap_waits() {
        let events = journal(&["a", "b", "c"]);
        assert_eq!(judge(START, &[], &events[1..]), Verdict::Follow { new: &[], head: START });
        let holed = [events[0].clone(), events[2].clone()];
        assert_eq!(judge(START, &[], &holed), Verdict::Follow { new: &holed[..1], head: head(&events[..1]) });
    }

    #[test]
    fn another_history_is_a_conflict_at_its_first_line() {
        let ours = journal(&["a", "b", "c"]);
        let theirs = journal(&["a", "x", "y"]);
        let verdict = judge(head(&ours), &known(&ours), &theirs);
        assert_eq!(verdict, Verdict::Conflict { line: &theirs[1], why: ConflictReason::OtherLine });
        let verdict = judge(head(&ours[..2]), &[], &theirs[2..]);
        assert_eq!(verdict, Verdict::Conflict { line: &theirs[2], why: ConflictReason::Fork });
    }

    #[test]
    fn a_line_changed_on_the_way_is_a_conflict_also_when_it_is_known() {
        let events = journal(&["a", "b"]);
        let mut changed = events.clone();
        changed[0].payload = "\"other money\"".into();
        let expected = Verdict::Conflict { line: &changed[0], why: ConflictReason::Changed };
        assert_eq!(judge(START, &[], &changed), expected);
        assert_eq!(judge(head(&events), &known(&events), &changed), expected);
    }

    #[test]
    fn a_known_name_under_a_new_number_is_a_conflict() {
        let events = journal(&["a", "b"]);
        let again = Event::next(3, events[0].event_id, "noticed".into(), UtcMs(3), "\"c\"".into(), events[1].hash);
        let batch = [again];
        assert_eq!(
            judge(head(&events), &known(&events[..1]), &batch),
            Verdict::Conflict { line: &batch[0], why: ConflictReason::OtherNumber }
        );
    }
}
