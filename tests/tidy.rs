//! Style as a test: the rules that a compiler or a lint cannot check. Each complaint says where and why.
//!
//! Deliberately absent: what rustfmt, clippy and the types already refuse.

#![cfg(test)]

#[path = "tidy/source.rs"]
mod source;

use source::{Source, code_of, functions_of, names_after, read, read_all, words_of};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that is written in Rust.
fn rust() -> Vec<Source> {
    let sources: Vec<Source> = ["crates", "src-tauri", "tests"].iter().flat_map(|at| read_all(at, &[".rs"])).collect();
    assert!(sources.len() > 50, "the sources were not found");
    sources
}

/// Everything that is written for the pages.
fn pages() -> Vec<Source> {
    read_all("ui", &[".ts", ".vue"])
}

#[track_caller]
fn accept(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn functions_say_one_thing() {
    let mut complaints = Vec::new();
    for source in rust() {
        for function in functions_of(&code_of(&source.text)) {
            // The table is one match: it may be as long as the table.
            let is_table = source.path.ends_with("payment/src/transition.rs") && function.name == "apply";
            if function.lines > 70 && !is_table {
                complaints
                    .push(format!("{}: fn {} has {} lines, more than 70", source.path, function.name, function.lines));
            }
        }
    }
    accept(complaints);
}

/// Lists: they grow with the program, and nobody reads them from top to bottom.
const LONG_PAGES: [&str; 2] = ["ui/src/counter/words/zh.ts", "ui/src/counter/words/en.ts"];

#[test]
fn files_can_be_read_in_one_sitting() {
    let long = |source: &Source, limit: usize| {
        let lines = source.text.lines().count();
        (lines > limit).then(|| format!("{}: {lines} lines, more than {limit}", source.path))
    };
    let page_limit = |source: &Source| if LONG_PAGES.contains(&source.path.as_str()) { 500 } else { 200 };
    let mut complaints: Vec<String> = rust().iter().filter_map(|source| long(source, 400)).collect();
    complaints.extend(pages().iter().filter_map(|source| long(source, page_limit(source))));
    accept(complaints);
}

#[test]
fn every_rust_file_says_what_it_is() {
    let silent = rust().into_iter().filter(|source| !source.text.trim().is_empty() && !source.text.starts_with("//!"));
    accept(silent.map(|source| format!("{}: does not begin with //! and what it is", source.path)).collect());
}

/// Words that say nothing about what a thing is for.
const REFUSED: [&str; 17] = [
    "service",
    "services",
    "helper",
    "helpers",
    "util",
    "utils",
    "common",
    "handler",
    "handlers",
    "processor",
    "processors",
    "data",
    "info",
    "base",
    "impl",
    "misc",
    "manager",
];

/// Names that are somebody else's, spelled as they spell them: what Alipay calls 20000, terms of RFC 9421 and X.509.
const FOREIGN: [&str; 3] = ["service_unavailable", "signature_base", "common_name"];

/// The refused word in a name, if there is one. The manager of a shop is a role, and may stand before what is his.
fn refused_word(name: &str) -> Option<&'static str> {
    if FOREIGN.contains(&name) {
        return None;
    }
    let parts = parts_of(name);
    let stands_alone = ["is", "as", "for", "by", "the", "a"];
    let is_role = |at: usize| at == 0 || at + 1 < parts.len() || stands_alone.contains(&parts[at - 1].as_str());
    parts.iter().enumerate().find_map(|(at, part)| {
        let word = REFUSED.into_iter().find(|word| word == part)?;
        (word != "manager" || !is_role(at)).then_some(word)
    })
}

/// `load_payment`, `loadPayment` and `LoadPayment` are each "load" and "payment".
fn parts_of(name: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    for sign in name.chars() {
        if (sign.is_uppercase() || !sign.is_alphanumeric()) && parts.last().is_some_and(|part| !part.is_empty()) {
            parts.push(String::new());
        }
        if let (true, Some(part)) = (sign.is_alphanumeric(), parts.last_mut()) {
            part.extend(sign.to_lowercase());
        }
    }
    parts
}

#[test]
fn names_say_what_a_thing_is_for() {
    let keywords = ["fn", "struct", "enum", "trait", "type", "mod", "function", "interface", "class"];
    let mut complaints = Vec::new();
    for source in rust().into_iter().chain(pages()) {
        let stem =
            source.path.rsplit('/').next().and_then(|file| file.split('.').next()).unwrap_or_default().to_owned();
        let code = if source.path.ends_with(".rs") { code_of(&source.text) } else { source.text.clone() };
        let names = names_after(&code, &keywords).chain([stem.as_str()]).collect::<BTreeSet<_>>();
        for (name, word) in names.into_iter().filter_map(|name| Some((name, refused_word(name)?))) {
            complaints.push(format!("{}: {name}: {word:?} does not say what it is for", source.path));
        }
    }
    accept(complaints);
}

#[test]
fn a_refused_word_is_found_in_every_way_of_writing() {
    for bad in ["payment_service", "PaymentService", "usefulUtils", "data", "order-info", "ShopManager", "load_data"] {
        assert!(refused_word(bad).is_some(), "{bad}");
    }
    for good in ["update", "Manager", "ManagerPin", "manager_screen", "is_manager", "database", "information", "basis"]
    {
        assert_eq!(refused_word(good), None, "{good}");
    }
}

/// Who may use whom.
fn arrows() -> BTreeMap<&'static str, BTreeSet<&'static str>> {
    BTreeMap::from([
        ("crates/payment", BTreeSet::new()),
        ("crates/wire", BTreeSet::from(["yidan-payment"])),
        ("crates/alipay", BTreeSet::from(["yidan-payment"])),
        ("crates/engine", BTreeSet::from(["yidan-payment", "yidan-wire", "yidan-alipay"])),
        ("crates/hq", BTreeSet::from(["yidan-payment", "yidan-wire", "yidan-alipay"])),
        ("crates/sandbox", BTreeSet::new()),
        ("src-tauri", BTreeSet::from(["yidan-payment", "yidan-wire", "yidan-alipay", "yidan-engine", "yidan-sandbox"])),
        ("tests/simulation", BTreeSet::from(["yidan-payment", "yidan-wire", "yidan-alipay", "yidan-engine"])),
    ])
}

#[test]
fn crates_use_only_what_they_may() {
    let workspace: toml::Table = read("Cargo.toml").parse().expect("Cargo.toml is TOML");
    let members = workspace["workspace"]["members"].as_array().expect("members is a list");
    let allowed = arrows();
    let mut complaints = Vec::new();
    for member in members.iter().filter_map(toml::Value::as_str).filter(|member| *member != "tests") {
        let Some(allowed) = allowed.get(member) else {
            complaints.push(format!("{member}: a new crate needs its arrows here"));
            continue;
        };
        let manifest: toml::Table = read(&format!("{member}/Cargo.toml")).parse().expect("Cargo.toml is TOML");
        let used = ours_in(&manifest);
        complaints.extend(
            used.iter()
                .filter(|used| !allowed.contains(used.as_str()))
                .map(|used| format!("{member} must not use {used}")),
        );
    }
    accept(complaints);
}

/// Our own crates among the dependencies of every kind and every target.
fn ours_in(manifest: &toml::Table) -> BTreeSet<String> {
    let mut used = BTreeSet::new();
    for (section, value) in manifest {
        let Some(table) = value.as_table() else { continue };
        if section.ends_with("dependencies") {
            used.extend(table.keys().filter(|name| name.starts_with("yidan")).cloned());
        } else if section == "target" {
            used.extend(table.values().filter_map(toml::Value::as_table).flat_map(ours_in));
        }
    }
    used
}

#[test]
fn success_is_said_in_two_files() {
    let mut complaints = Vec::new();
    for source in rust().into_iter().filter(|source| !source.path.starts_with("crates/sandbox")) {
        let code = code_of(&source.text);
        let may = ["crates/payment/src/transition.rs", "crates/payment/src/record.rs"].contains(&source.path.as_str());
        if code.contains("Money::of(") && !may {
            complaints
                .push(format!("{}: Money::of makes a payment SUCCESS; only the table and a row may", source.path));
        }
        for (at, _) in code.match_indices("Status::Success(").filter(|(at, _)| !may && is_made(&code[at + 16..])) {
            let line = code[..at].lines().count();
            complaints
                .push(format!("{}:{line}: Status::Success is made here; only the table and a row may", source.path));
        }
    }
    accept(complaints);
}

/// Whether `Status::Success(…` makes a value; otherwise it is a pattern: `_)`, `..)`, `ref money)`, `money) =>`.
fn is_made(rest: &str) -> bool {
    let (inside, after) = rest.split_once(')').unwrap_or((rest, ""));
    let is_name = !inside.is_empty() && inside.chars().all(|sign| sign.is_lowercase() || sign == '_');
    let after = after.trim_start();
    let is_pattern = ["=>", "|", "= ", "if ", ")"].iter().any(|sign| after.starts_with(sign));
    !(["_", ".."].contains(&inside) || inside.starts_with("ref ") || (is_name && is_pattern))
}

#[test]
fn making_success_is_told_from_looking_at_it() {
    for made in ["Money::of(x))", "money.clone())", "money);", "money), now)"] {
        assert!(is_made(made), "{made}");
    }
    for seen in ["_) | x", "..) => ", "ref money) => ", "money) => ", "money) = &status else", "money) if x"] {
        assert!(!is_made(seen), "{seen}");
    }
}

#[test]
fn the_engine_asks_for_time_and_chance() {
    let mut complaints = Vec::new();
    for source in read_all("crates/engine/src", &[".rs"]) {
        let code = code_of(&source.text);
        for refused in
            ["tokio::spawn", "tokio::time", "SystemTime", "Instant::now", "now_v7", "new_v4", "std::thread::sleep"]
        {
            if code.contains(refused) {
                complaints.push(format!("{}: {refused}: the engine is handed its clock and its ids", source.path));
            }
        }
        // Which branch is looked at first would be chance otherwise.
        let fair = code
            .split("select!")
            .skip(1)
            .filter(|rest| !rest.trim_start_matches([' ', '{', '\n']).starts_with("biased;"));
        complaints
            .extend(fair.map(|_| format!("{}: select! without biased: the engine is handed its chance", source.path)));
        // Salts and nonces of the sealed keys must not be repeatable, and nothing is decided by them.
        let may_roll = source.path.ends_with("/keyfile.rs");
        if words_of(&code).any(|word| word == "rand") && !may_roll {
            complaints.push(format!("{}: rand: the engine is handed its ids", source.path));
        }
    }
    accept(complaints);
}

#[test]
fn payment_knows_no_clock_disk_or_network() {
    let mut complaints = Vec::new();
    for source in read_all("crates/payment/src", &[".rs"]) {
        let code = code_of(&source.text);
        for refused in
            ["SystemTime", "Instant", "std::fs", "std::net", "std::env", "async fn", "static mut", "thread_local"]
        {
            if code.contains(refused) {
                complaints.push(format!("{}: {refused}: what a payment may become is pure", source.path));
            }
        }
    }
    accept(complaints);
}

/// Where a memory rule of Rust is set aside, and why it must be: the simulation's disk is a C interface of SQLite.
const UNSAFE: [&str; 1] = ["tests/simulation/vfs.rs"];

#[test]
fn lints_are_expected_never_switched_off() {
    let mut complaints = Vec::new();
    for source in rust() {
        let code = code_of(&source.text);
        for (refused, instead) in [
            ("#[allow(", "use #[expect(…, reason = \"…\")]"),
            ("#![allow(", "use #![expect(…, reason = \"…\")]"),
            ("println!", "write to std::io::stdout() with writeln!, or use tracing"),
            ("print!", "write to std::io::stdout(), or use tracing"),
            ("dbg!", "remove it"),
            ("todo!", "do it"),
            ("unimplemented!", "do it"),
        ] {
            if code.contains(refused) {
                complaints.push(format!("{}: {refused}: {instead}", source.path));
            }
        }
        if words_of(&code).any(|word| word == "unsafe") && !UNSAFE.contains(&source.path.as_str()) {
            complaints.push(format!("{}: unsafe is not expected here", source.path));
        }
    }
    accept(complaints);
}

#[test]
fn the_text_stands_on_its_own() {
    let folder = ["/work", "/shared"].concat();
    let mut complaints = Vec::new();
    let documents = ["docs", "migrations", ".ci"].iter().flat_map(|at| read_all(at, &[".md", ".sql", "run"]));
    for source in rust().into_iter().chain(pages()).chain(documents) {
        for (at, line) in source.text.lines().enumerate() {
            let line = line.to_lowercase();
            if line.contains(&folder) || mentions_number(&line, "issue") || mentions_number(&line, "part") {
                complaints.push(format!("{}:{}: speaks of something a reader does not have", source.path, at + 1));
            }
        }
    }
    accept(complaints);
}

/// Whether the line says `word 7` or `word #7`.
fn mentions_number(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let is_whole = !line[..at].ends_with(|sign: char| sign.is_alphanumeric() || sign == '_');
        let rest = line[at + word.len()..].strip_prefix(' ').unwrap_or_default();
        is_whole && rest.trim_start_matches('#').starts_with(|sign: char| sign.is_ascii_digit())
    })
}

#[test]
fn the_map_stays_short() {
    let lines = read("ARCHITECTURE.md").lines().count();
    assert!(lines <= 150, "ARCHITECTURE.md has {lines} lines, more than 150: nobody will read it");
}
