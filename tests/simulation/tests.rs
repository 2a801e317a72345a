//! The simulation itself: it repeats itself, and it holds.

use crate::{Lie, bugs, play_one};
use std::path::Path;

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

#[test]
fn every_planted_bug_has_its_place() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let bugs = bugs::load(&top).unwrap();
    assert!(bugs.len() >= 30, "only {} planted bugs", bugs.len());
    for bug in bugs {
        for edit in bug.edits() {
            let text = std::fs::read_to_string(top.join(&edit.file)).unwrap();
            let count = text.matches(edit.find.as_str()).count();
            assert_eq!(count, 1, "{}: {:?} occurs {count} times in {}", bug.id, edit.find, edit.file);
        }
        assert!(bug.lie.is_some() != bug.file.is_some(), "{} is planted in a file or in the disk", bug.id);
    }
}

/// `path/to/file.rs::a_function` in the proof: each must be there.
#[test]
fn every_link_of_the_proof_leads_somewhere() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let proof = std::fs::read_to_string(top.join("docs/manual/proof.md")).unwrap();
    let links: Vec<_> = proof.split('`').filter_map(|text| text.split_once(".rs::")).collect();
    assert!(links.len() > 50, "only {} links", links.len());
    for (file, name) in links {
        let text = std::fs::read_to_string(top.join(format!("{file}.rs"))).unwrap_or_default();
        assert!(text.contains(&format!("fn {name}")), "{file}.rs has no {name}");
    }
    for bug in bugs::load(&top).unwrap() {
        assert!(proof.contains(&format!("| `{}` |", bug.id)), "the proof does not speak of {}", bug.id);
    }
}
