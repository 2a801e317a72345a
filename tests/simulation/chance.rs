//! Chance, all of it from one seed. The same seed gives the same numbers on every build.

/// A stream of numbers (splitmix64).
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The stream of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Chance {
        let mut chance = Chance(seed ^ 0x5DEE_CE66_D1CE_4E5B);
        chance.draw();
        chance
    }

    /// A stream of its own, for a part of the world that must not disturb the others.
    #[must_use]
    pub fn fork(&mut self) -> Chance {
        Chance::new(self.draw())
    }

    /// 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Less than `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        self.draw().checked_rem(end).unwrap_or(0)
    }

    /// From `start` up to and with `end`.
    pub fn between(&mut self, start: u64, end: u64) -> u64 {
        start + self.below(end.saturating_sub(start) + 1)
    }

    /// A place in a list, or a length up to `end`.
    pub fn place(&mut self, end: usize) -> usize {
        usize::try_from(self.below(u64::try_from(end).unwrap_or(u64::MAX))).unwrap_or(0)
    }

    /// True in `per_mille` of 1,000 cases.
    pub fn happens(&mut self, per_mille: u64) -> bool {
        self.below(1000) < per_mille
    }

    /// One of several.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.place(from.len())]
    }
}
