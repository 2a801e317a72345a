//! The source files of the repository, and Rust text without its comments and strings.
//!
//! A small reader, not a parser: it knows where text is not code, and where a function ends. That is enough for rules
//! about words and lengths.

use std::{fs, path::Path};

/// One file, with its path from the top of the repository.
pub struct Source {
    pub path: String,
    pub text: String,
}

/// A function and how many lines it has, signature included.
pub struct Function {
    pub name: String,
    pub lines: usize,
}

/// Folders that hold what is made or fetched, or what was not written by us.
const NOT_OURS: [&str; 8] = ["target", "node_modules", "dist", "dist-hq", "fixtures", ".git", ".demo", "gen"];

/// Every file below `folder` whose name ends in one of `endings`.
pub fn read_all(folder: &str, endings: &[&str]) -> Vec<Source> {
    let mut sources = Vec::new();
    walk(&top().join(folder), endings, &mut sources);
    sources.sort_by(|a: &Source, b| a.path.cmp(&b.path));
    sources
}

pub fn read(path: &str) -> String {
    fs::read_to_string(top().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn top() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().expect("the tests lie one folder below the top")
}

fn walk(folder: &Path, endings: &[&str], sources: &mut Vec<Source>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("a folder that opens can be read").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() {
            if !NOT_OURS.contains(&name.as_str()) {
                walk(&path, endings, sources);
            }
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            let path = path.strip_prefix(top()).expect("it was found below the top").to_string_lossy().into_owned();
            sources.push(Source { path, text });
        }
    }
}

/// Rust text in which comments, strings and characters are blank; lines stay where they are.
pub fn code_of(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let end = at + not_code(&bytes[at..], at.checked_sub(1).map(|before| bytes[before]));
        for byte in &mut code[at..end] {
            if *byte != b'\n' {
                *byte = b' ';
            }
        }
        at = end.max(at + 1);
    }
    String::from_utf8(code).expect("what was blanked was whole")
}

/// How many bytes from here on are comment, string or character. 0: code.
fn not_code(rest: &[u8], before: Option<u8>) -> usize {
    let in_word = before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match rest {
        [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len()),
        [b'/', b'*', ..] => find(rest, b"*/"),
        [b'r', b'"', ..] if !in_word => 1 + find(&rest[1..], b"\""),
        [b'r', b'#', b'"', ..] if !in_word => find(rest, b"\"#"),
        [b'"', ..] => string(rest),
        [b'\'', b'\\', ..] => 3 + rest[3.min(rest.len())..].iter().position(|byte| *byte == b'\'').unwrap_or(0) + 1,
        [b'\'', _, b'\'', ..] => 3,
        _ => 0,
    }
    .min(rest.len())
}

/// Up to and with `end`, which is not sought in the first two bytes.
fn find(rest: &[u8], end: &[u8]) -> usize {
    let skip = if end.len() == 1 { 1 } else { 2 };
    rest[skip..].windows(end.len()).position(|window| window == end).map_or(rest.len(), |at| skip + at + end.len())
}

fn string(rest: &[u8]) -> usize {
    let mut at = 1;
    while at < rest.len() && rest[at] != b'"' {
        at += if rest[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// The words of code: names, numbers and keywords.
pub fn words_of(code: &str) -> impl Iterator<Item = &str> {
    code.split(|sign: char| !sign.is_alphanumeric() && sign != '_').filter(|word| !word.is_empty())
}

/// Every name that follows one of `keywords`: `names_after(code, &["fn"])`.
pub fn names_after<'a>(code: &'a str, keywords: &'a [&str]) -> impl Iterator<Item = &'a str> {
    let words: Vec<&str> = words_of(code).collect();
    let pairs = words.clone().into_iter().zip(words.into_iter().skip(1));
    pairs.filter(|(before, _)| keywords.contains(before)).map(|(_, name)| name)
}

/// Every function with a body.
pub fn functions_of(code: &str) -> Vec<Function> {
    let starts = code
        .match_indices("fn ")
        .filter(|(at, _)| !code[..*at].ends_with(|sign: char| sign.is_alphanumeric() || sign == '_'));
    starts.filter_map(|(at, _)| function(&code[at..])).collect()
}

fn function(code: &str) -> Option<Function> {
    let name = words_of(&code[3..]).next()?.to_owned();
    let body = body_start(code)?;
    let mut depth = 0;
    let length = code[body..].char_indices().find_map(|(at, sign)| {
        depth += i32::from(sign == '{') - i32::from(sign == '}');
        (depth == 0).then_some(at)
    })?;
    Some(Function { name, lines: code[..=body + length].lines().count() })
}

/// Where the body begins. `None`: the function has only a signature.
fn body_start(code: &str) -> Option<usize> {
    let mut depth = 0;
    let (at, sign) = code.char_indices().find(|(_, sign)| {
        depth += i32::from(['(', '['].contains(sign)) - i32::from([')', ']'].contains(sign));
        depth == 0 && ['{', ';'].contains(sign)
    })?;
    (sign == '{').then_some(at)
}

#[test]
fn comments_and_strings_are_no_code() {
    let text = "a /* { */ \"}\\\"{\" r\"{\" r#\"{\"{\"# '{' '\\'' 'life b // {\nc";
    assert_eq!(words_of(&code_of(text)).collect::<Vec<_>>(), ["a", "life", "b", "c"]);
    assert!(!code_of(text).contains(['{', '}']));
}

#[test]
fn a_function_ends_with_its_brace() {
    let code = "trait T { fn without(self); }\nfn one() {\n  if x { }\n}\nfn two() -> [u8; 2] {\n}";
    let found: Vec<_> = functions_of(code).into_iter().map(|function| (function.name, function.lines)).collect();
    assert_eq!(found, [("one".into(), 3), ("two".into(), 2)]);
}
