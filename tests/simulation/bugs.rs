//! The proof of the prover: bugs planted one by one into a copy of the sources. Each must be caught.
//!
//! Deliberately absent: any hook in the money path. A bug is a piece of text that is replaced by another one, or a disk
//! that breaks its promises.

use crate::disk::Lie;
use anyhow::{Context as _, bail};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A bug to plant.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bug {
    /// Its name.
    pub id: String,
    /// What is wrong then, in one sentence.
    pub wrong: String,
    /// In which file, from the top of the repository. Without it the disk is broken.
    pub file: Option<String>,
    /// What is replaced: occurs exactly once.
    pub find: Option<String>,
    /// By what.
    pub replace: Option<String>,
    /// Further edits that belong to the same bug.
    #[serde(default)]
    pub also: Vec<Edit>,
    /// How the disk is broken.
    pub lie: Option<Lie>,
    /// Parts of violations, separated by `|`: one of them is in the violation that catches it.
    pub expect: String,
    /// At most so many seeds are played.
    #[serde(default = "most_seeds")]
    pub seeds: u64,
}

/// A text to replace.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edit {
    /// In which file, from the top of the repository.
    pub file: String,
    /// What is replaced: occurs exactly once.
    pub find: String,
    /// By what.
    pub replace: String,
}

impl Bug {
    /// Everything that is replaced.
    #[must_use]
    pub fn edits(&self) -> Vec<Edit> {
        let first = match (&self.file, &self.find, &self.replace) {
            (Some(file), Some(find), Some(replace)) => {
                Some(Edit { file: file.clone(), find: find.clone(), replace: replace.clone() })
            }
            _ => None,
        };
        first.into_iter().chain(self.also.iter().cloned()).collect()
    }

    fn is_caught_by(&self, violation: &str) -> bool {
        self.expect.split('|').any(|part| violation.contains(part))
    }
}

#[derive(Deserialize)]
struct List {
    bug: Vec<Bug>,
}

fn most_seeds() -> u64 {
    60
}

/// A bug that was caught.
pub struct Caught {
    /// By which seed.
    pub seed: u64,
    /// With what violation.
    pub violation: String,
}

/// All planted bugs.
///
/// # Errors
/// If the list cannot be read.
pub fn load(top: &Path) -> anyhow::Result<Vec<Bug>> {
    let path = top.join("tests/simulation/bugs.toml");
    let text = fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    Ok(toml::from_str::<List>(&text)?.bug)
}

/// A copy of the sources in which bugs are planted, with a target folder of its own.
pub struct Copy {
    tree: PathBuf,
    target: PathBuf,
}

impl Copy {
    /// Copies the sources to `target/simulation-bugs`.
    ///
    /// # Errors
    /// Of the disk.
    pub fn new(top: &Path) -> anyhow::Result<Copy> {
        let folder = top.join("target/simulation-bugs");
        let copy = Copy { tree: folder.join("tree"), target: folder.join("target") };
        for name in ["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "crates", "migrations", "src-tauri", "tests"] {
            mirror(&top.join(name), &copy.tree.join(name))?;
        }
        Ok(copy)
    }

    /// Plants a bug, plays seeds, and puts the source right again.
    ///
    /// # Errors
    /// If it cannot be planted or built.
    pub fn hunt(&self, bug: &Bug) -> anyhow::Result<Option<Caught>> {
        let files: BTreeSet<String> = bug.edits().into_iter().map(|edit| edit.file).collect();
        let read = |file: String| Ok((fs::read_to_string(self.tree.join(&file))?, file));
        let originals: Vec<(String, String)> = files.into_iter().map(read).collect::<anyhow::Result<_>>()?;
        let planted = bug.edits().iter().try_for_each(|edit| self.plant(bug, edit));
        let built = planted.and_then(|()| self.build());
        let played = built.and_then(|program| self.play(&program, bug));
        for (original, file) in originals {
            fs::write(self.tree.join(file), original)?;
        }
        read_catch(&played?, bug)
    }

    fn plant(&self, bug: &Bug, edit: &Edit) -> anyhow::Result<()> {
        let path = self.tree.join(&edit.file);
        let text = fs::read_to_string(&path)?;
        if text.matches(edit.find.as_str()).count() != 1 {
            bail!("bug {}: the text to replace does not occur exactly once in {}", bug.id, edit.file);
        }
        fs::write(&path, text.replace(edit.find.as_str(), &edit.replace))?;
        Ok(())
    }

    fn build(&self) -> anyhow::Result<PathBuf> {
        let built = Command::new("cargo")
            .args(["--config", "profile.dev.package.yidan-simulation.opt-level=0"])
            .args(["build", "--quiet", "--locked", "--workspace", "--bin", "simulate"])
            .current_dir(&self.tree)
            .env("CARGO_TARGET_DIR", &self.target)
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .output()?;
        if !built.status.success() {
            bail!("it does not build:\n{}", String::from_utf8_lossy(&built.stderr));
        }
        Ok(self.target.join("debug/simulate"))
    }

    fn play(&self, program: &Path, bug: &Bug) -> anyhow::Result<Output> {
        let mut command = Command::new(program);
        command.arg("--until-broken").arg("--orders").arg((bug.seeds * crate::ORDERS_PER_SEED).to_string());
        if let Some(lie) = bug.lie {
            command.arg("--lie").arg(lie.as_str());
        }
        Ok(command.current_dir(&self.tree).output()?)
    }
}

fn read_catch(played: &Output, bug: &Bug) -> anyhow::Result<Option<Caught>> {
    let text = String::from_utf8_lossy(&played.stdout);
    let mut broken = text.lines().filter_map(|line| line.strip_prefix("seed ")?.split_once(": "));
    if let Some((seed, violation)) = broken.next() {
        if !bug.is_caught_by(violation) {
            bail!("bug {}: expected {:?}, but seed {seed} says {violation:?}", bug.id, bug.expect);
        }
        return Ok(Some(Caught { seed: seed.parse()?, violation: violation.into() }));
    }
    if played.status.code().is_none() {
        bail!("bug {}: the simulation was killed", bug.id);
    }
    Ok(None)
}

/// Copies what differs, so that cargo builds only what changed.
fn mirror(from: &Path, to: &Path) -> anyhow::Result<()> {
    if from.is_file() {
        let content = fs::read(from)?;
        if fs::read(to).ok().as_ref() != Some(&content) {
            fs::create_dir_all(to.parent().context("a file lies in a folder")?)?;
            fs::write(to, content)?;
        }
        return Ok(());
    }
    for entry in fs::read_dir(from)? {
        let name = entry?.file_name();
        let skipped = ["target", "node_modules", "dist", "dist-hq", "gen", "fixtures"];
        if !skipped.iter().any(|skip| name == *skip) {
            mirror(&from.join(&name), &to.join(&name))?;
        }
    }
    Ok(())
}
