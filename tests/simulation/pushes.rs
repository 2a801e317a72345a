//! What headquarters tells its terminals: a numbered stream for each, kept until it was heard.

use crate::decide::resume::{Known, Resume, resume};
use crate::decide::route::candidates;
use crate::headquarters::Headquarters;
use crate::notices::read_body;
use crate::till::name_of;
use std::collections::{BTreeMap, BTreeSet};
use yidan_payment::EventId;
use yidan_wire::{Heard, Instructed, Push, PushId, Told};

/// What one terminal is told.
#[derive(Clone, Default)]
pub struct Stream {
    pushes: Vec<Push>,
    known: Numbers,
}

#[derive(Clone, Copy, Default)]
struct Numbers {
    head: i64,
    heard: i64,
}

/// Everything about streams that headquarters has stored.
#[derive(Clone, Default)]
pub struct Streams {
    by_terminal: BTreeMap<usize, Stream>,
    /// Bodies of notices: the same comes once.
    notices: BTreeSet<String>,
    /// Lines that say what became of an instruction.
    outcomes: BTreeMap<PushId, BTreeSet<EventId>>,
}

impl Headquarters {
    /// Gives the next number to something that a terminal shall be told.
    pub fn tell(&mut self, terminal: usize, id: PushId, what: Told) {
        let stream = self.streams.by_terminal.entry(terminal).or_default();
        stream.known.head += 1;
        stream.pushes.push(Push { seq: stream.known.head, id, what });
    }

    /// Takes a notice: checked, stored once, given to the terminal that it is for. Answers whether it is kept, and which
    /// of `terminals` is told.
    pub fn take_notice(&mut self, body: &str, id: PushId, terminals: usize) -> (bool, Option<usize>) {
        let Some(said) = read_body(body, "main") else { return (false, None) };
        if !self.streams.notices.insert(body.to_owned()) {
            return (true, None);
        }
        let number = said.number.to_owned();
        let owner = self.find_terminal(&number).or_else(|| find_named(&number, terminals));
        if let Some(terminal) = owner {
            self.tell(terminal, id, Told::Notice { body: body.to_owned() });
        }
        (true, owner)
    }

    /// Brings the numbers in line with what the terminal has handled.
    pub fn go_on(&mut self, terminal: usize, heard: Heard) {
        let stream = self.streams.by_terminal.entry(terminal).or_default();
        let known = Known { head: stream.known.head, heard: stream.known.heard };
        let is_same = stream.is_told(heard);
        match resume(known, heard.after, is_same) {
            Resume::Renumber { above, by } => stream.renumber(above, by),
            Resume::Here if is_same => stream.known.heard = stream.known.heard.max(heard.after),
            Resume::Here => {}
        }
    }

    /// Durable at the terminal up to here.
    pub fn hear(&mut self, terminal: usize, heard: Heard) {
        let stream = self.streams.by_terminal.entry(terminal).or_default();
        if stream.is_told(heard) {
            stream.known.heard = stream.known.heard.max(heard.after);
        }
    }

    /// What comes after a number.
    #[must_use]
    pub fn list_after(&self, terminal: usize, after: i64) -> Vec<Push> {
        let stream = self.streams.by_terminal.get(&terminal);
        let pushes = stream.into_iter().flat_map(|stream| &stream.pushes);
        pushes.filter(|push| push.seq > after).cloned().collect()
    }

    /// Whether a terminal has heard everything.
    #[must_use]
    pub fn is_heard(&self, terminal: usize) -> bool {
        let stream = self.streams.by_terminal.get(&terminal);
        stream.is_none_or(|stream| stream.known.heard == stream.known.head)
    }

    /// A terminal says what became of an instruction.
    pub fn note_outcome(&mut self, told: &Instructed, line: EventId) {
        self.streams.outcomes.entry(told.id).or_default().insert(line);
    }

    /// Instructions that were followed more than once, or never.
    pub fn wrongly_followed(&self) -> impl Iterator<Item = (PushId, usize)> {
        let told = self.streams.by_terminal.values().flat_map(|stream| &stream.pushes);
        let instructions = told.filter(|push| matches!(push.what, Told::Instruction { .. }));
        let followed = |push: &Push| (push.id, self.streams.outcomes.get(&push.id).map_or(0, BTreeSet::len));
        instructions.map(followed).filter(|(_, times)| *times != 1)
    }
}

impl Stream {
    fn is_told(&self, heard: Heard) -> bool {
        self.pushes.iter().any(|push| push.seq == heard.after && Some(push.id) == heard.id)
    }

    fn renumber(&mut self, above: i64, by: i64) {
        for push in self.pushes.iter_mut().filter(|push| push.seq > above) {
            push.seq += by;
        }
        self.known = Numbers { head: self.known.head + by, heard: above + by };
    }
}

/// By what a number begins with.
fn find_named(number: &str, terminals: usize) -> Option<usize> {
    let named = candidates(None, number);
    (0..terminals).find(|terminal| named.contains(&format!("S1{}", name_of(*terminal)).as_str()))
}
