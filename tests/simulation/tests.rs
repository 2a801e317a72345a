//! The simulation itself: it repeats itself, and it holds.

use crate::{Lie, play_one};

#[test]
fn the_same_seed_gives_the_same_trace() {
    let once = play_one(7, Lie::None).unwrap();
    let twice = play_one(7, Lie::None).unwrap();
    assert_eq!((once.hash, once.counts), (twice.hash, twice.counts));
    assert_ne!(play_one(8, Lie::None).unwrap().hash, once.hash);
}

#[test]
fn a_disk_that_lies_is_noticed() {
    let caught = (1..40).find_map(|seed| play_one(seed, Lie::Sync).err());
    assert!(caught.is_some(), "fsync did nothing, and nobody noticed");
}
