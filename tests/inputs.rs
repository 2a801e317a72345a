//! Every vector and every reported case is read by a named test, or left out with a reason (tests/inputs.toml).

#![cfg(test)]

#[path = "tidy/source.rs"]
#[expect(dead_code, reason = "the rules of style need more of it")]
mod source;

use serde::Deserialize;
use source::{Source, read, read_all};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inputs {
    vectors: BTreeMap<String, Vec<String>>,
    vectors_left_out: BTreeMap<String, String>,
    cases: BTreeMap<String, Vec<String>>,
    cases_left_out: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct Case {
    id: String,
}

fn inputs() -> Inputs {
    toml::from_str(&read("tests/inputs.toml")).expect("tests/inputs.toml can be read")
}

/// Everything that holds tests.
fn tests() -> Vec<Source> {
    let rust = ["crates", "src-tauri", "tests"].into_iter().flat_map(|folder| read_all(folder, &[".rs"]));
    rust.chain(["ui/tests", "ui/e2e"].into_iter().flat_map(|folder| read_all(folder, &[".ts", ".mjs"]))).collect()
}

fn is_a_test(tests: &[Source], name: &str) -> bool {
    tests.iter().any(|source| source.text.contains(&format!("fn {name}(")))
}

#[track_caller]
fn accept(complaints: &[String]) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn every_vector_is_read_by_a_named_test_or_left_out_with_a_reason() {
    let (inputs, tests) = (inputs(), tests());
    let files = files_below("fixtures/vectors");
    assert!(files.len() > 50, "the vectors were not found");
    let named: BTreeSet<&String> = inputs.vectors.keys().chain(inputs.vectors_left_out.keys()).collect();
    let mut complaints: Vec<String> =
        files.iter().filter(|file| !named.contains(file)).map(|file| format!("{file}: no test reads it")).collect();
    complaints.extend(named.iter().filter(|file| !files.contains(**file)).map(|file| format!("{file}: is not there")));
    complaints.extend(nobodys(&tests, &inputs.vectors));
    complaints.extend(without_reason(&inputs.vectors_left_out));
    accept(&complaints);
}

#[test]
fn every_case_has_a_test_named_after_it_or_is_left_out_with_a_reason() {
    let (inputs, tests) = (inputs(), tests());
    let cases: Vec<Case> = serde_json::from_str(&read("tests/fixtures/cases/manifest.json")).expect("it is a list");
    assert!(cases.len() > 100, "the cases were not found");
    let is_known = |id: &str| inputs.cases.contains_key(id) || inputs.cases_left_out.contains_key(id);
    let open = cases.iter().filter(|case| !is_known(&case.id) && !is_named(&tests, &case.id));
    let mut complaints: Vec<String> = open.map(|case| format!("{}: no test is named after it", case.id)).collect();
    complaints.extend(nobodys(&tests, &inputs.cases));
    complaints.extend(without_reason(&inputs.cases_left_out));
    accept(&complaints);
}

/// `fn rs1_…`, `#[case::rs1_…]`, or `RS1:` in front of what a page or a longer test is about. NT16a is one of NT16.
fn is_named(tests: &[Source], id: &str) -> bool {
    let family = id.trim_end_matches(|sign: char| sign.is_ascii_lowercase());
    let mut marks: Vec<String> = [id, family].map(|id| format!("{}_", id.to_lowercase())).into();
    marks = marks.iter().flat_map(|name| [format!("fn {name}"), format!("::{name}")]).collect();
    marks.push(format!("{family}: "));
    tests.iter().any(|source| marks.iter().any(|mark| source.text.contains(mark)))
}

fn nobodys(tests: &[Source], named: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let pairs = named.iter().flat_map(|(input, names)| names.iter().map(move |name| (input, name)));
    let missing = pairs.filter(|(_, name)| !is_a_test(tests, name));
    missing.map(|(input, name)| format!("{input}: there is no test {name}")).collect()
}

fn without_reason(left_out: &BTreeMap<String, String>) -> Vec<String> {
    left_out.iter().filter(|(_, why)| why.trim().is_empty()).map(|(input, _)| format!("{input}: why not?")).collect()
}

/// The files below a folder of the tests, by their path from there.
fn files_below(folder: &str) -> BTreeSet<String> {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files = BTreeSet::new();
    let mut folders = vec![top.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder can be read") {
            let path = entry.expect("a folder can be read").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                files.insert(path.strip_prefix(&top).expect("it is below").to_string_lossy().into_owned());
            }
        }
    }
    files
}
