//! Where a terminal's stream goes on.
//!
//! Must always hold: what the terminal has not handled is told to it, also after headquarters or the terminal was
//! restored. Repeating is harmless, leaving out is not.

/// What headquarters knows of a terminal's stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    /// The last number given.
    pub head: i64,
    /// The last number that was durable at the terminal.
    pub heard: i64,
}

/// What to do before the stream goes on after the number that the terminal names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resume {
    /// Nothing: it names what it was told.
    Here,
    /// Headquarters was restored and counts from an older number: what the terminal was not told gets numbers after the
    /// one it names.
    Renumber {
        /// Numbers above this one are raised.
        above: i64,
        /// By so much.
        by: i64,
    },
}

/// Decides by the number the terminal names, and whether headquarters knows it under the name the terminal gives.
#[must_use]
pub fn resume(known: Known, after: i64, is_same: bool) -> Resume {
    if after <= 0 || is_same || after <= known.heard {
        return Resume::Here;
    }
    Resume::Renumber { above: known.heard, by: after - known.heard }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_that_names_what_it_was_told_goes_on_there() {
        let known = Known { head: 9, heard: 4 };
        assert_eq!(resume(known, 6, true), Resume::Here);
        assert_eq!(resume(known, 0, false), Resume::Here, "a new database is told everything");
        assert_eq!(resume(known, 3, false), Resume::Here, "a restored database is told again what it forgot");
    }

    #[test]
    fn after_headquarters_was_restored_nothing_new_hides_under_an_old_number() {
        let known = Known { head: 6, heard: 4 };
        assert_eq!(resume(known, 9, false), Resume::Renumber { above: 4, by: 5 });
        assert_eq!(resume(known, 5, false), Resume::Renumber { above: 4, by: 1 });
    }
}
