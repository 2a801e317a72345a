//! Many seeds, one thread each, and what came of them all.

use crate::disk::Lie;
use crate::faults::Counts;
use crate::world::{Play, Violation, play};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// How many customers one seed has.
pub const ORDERS_PER_SEED: u64 = 100;

/// What came of many seeds.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Seeds played.
    pub seeds: u64,
    /// How often what happened.
    pub counts: Counts,
    /// Hash of all runs, in the order of their seeds.
    pub hash: u64,
    /// Seeds that broke something, and what.
    pub broken: Vec<(u64, Violation)>,
}

/// Plays seeds on as many threads as told, and says after each how many are done. With `until_broken`, stops at the first
/// violation.
#[must_use]
pub fn play_all(
    seeds: &[u64],
    lie: Lie,
    threads: usize,
    until_broken: bool,
    after: impl Fn(usize, u64, Option<&Violation>) + Sync,
) -> Summary {
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    let results = Mutex::new(Vec::new());
    let work = || {
        while !is_over.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(seed) = seeds.get(at) else { return };
            let result = play_one(*seed, lie);
            is_over.fetch_or(until_broken && result.is_err(), Ordering::Relaxed);
            let mut results = results.lock().expect("no thread dies with it");
            after(results.len() + 1, *seed, result.as_ref().err());
            results.push((at, *seed, result));
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(work);
        }
    });
    let mut results = results.into_inner().expect("all threads have ended");
    results.sort_by_key(|(at, _, _)| *at);
    let mut summary = Summary::default();
    for (_, seed, result) in results {
        summary.seeds += 1;
        match result {
            Ok(told) => {
                summary.counts.merge(&told.counts);
                summary.hash = summary.hash.rotate_left(1) ^ told.hash;
            }
            Err(violation) => summary.broken.push((seed, violation)),
        }
    }
    summary
}

/// Plays one seed. A panic of the program is a violation as well.
///
/// # Errors
/// The first [`Violation`].
pub fn play_one(seed: u64, lie: Lie) -> Result<crate::Told, Violation> {
    let to_play = Play { seed, orders: ORDERS_PER_SEED, lie };
    catch_unwind(AssertUnwindSafe(|| play(&to_play))).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no message");
        Err(Violation(format!("the program panicked: {said}")))
    })
}
