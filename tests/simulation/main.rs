//! `simulate`: plays a shop in which everything goes wrong, many times, and counts what it cost.

use anyhow::Context as _;
use clap::Parser;
use simulation::bugs::{self, Bug, Copy};
use simulation::{Lie, ORDERS_PER_SEED, Summary, Violation, play_all, play_one};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

/// Plays a shop in which everything goes wrong, from seeds, and counts what it cost.
#[derive(Parser)]
struct Arguments {
    /// How many customers come.
    #[arg(long, default_value_t = 100_000)]
    orders: u64,
    /// Plays this seed only, and says what happened.
    #[arg(long)]
    seed: Option<u64>,
    /// With a seed: tells every step, as the engine logs it.
    #[arg(long)]
    log: bool,
    /// The first seed. Without it, fresh ones.
    #[arg(long)]
    from: Option<u64>,
    /// How many seeds at a time; as many as there are processors if not given.
    #[arg(long)]
    threads: Option<usize>,
    /// Breaks the disks.
    #[arg(long, value_enum, default_value_t = Lie::None)]
    lie: Lie,
    /// Stops at the first seed that breaks something; begins at seed 1.
    #[arg(long)]
    until_broken: bool,
    /// Plants bugs in a copy of the sources and hunts them: `all`, or names with commas between them.
    #[arg(long)]
    bugs: Option<String>,
}

#[expect(clippy::disallowed_methods, reason = "how long it took, for the last line; nothing is decided by it")]
fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let began = std::time::Instant::now();
    if arguments.log {
        tracing_subscriber::fmt().with_max_level(tracing::Level::DEBUG).without_time().init();
    }
    let is_good = match (&arguments.bugs, arguments.seed) {
        (Some(name), _) => hunt(name)?,
        (None, Some(seed)) => replay(seed, arguments.lie)?,
        (None, None) => {
            let seeds = seeds(&arguments)?;
            let after = |done: usize, seed, broken: Option<&Violation>| tell_progress(done, seeds.len(), seed, broken);
            let summary = play_all(&seeds, arguments.lie, threads(&arguments), arguments.until_broken, after);
            tell(&summary, began.elapsed())?;
            if !arguments.until_broken {
                keep(&summary)?;
            }
            summary.broken.is_empty()
        }
    };
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn threads(arguments: &Arguments) -> usize {
    arguments.threads.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from))
}

/// Seeds that once broke something come first, then as many as the orders need.
fn seeds(arguments: &Arguments) -> anyhow::Result<Vec<u64>> {
    let count = arguments.orders.div_ceil(ORDERS_PER_SEED);
    let first = match (arguments.from, arguments.until_broken) {
        (Some(from), _) => from,
        (None, true) => 1,
        (None, false) => fresh(),
    };
    let corpus = if arguments.until_broken { Vec::new() } else { corpus()? };
    Ok(corpus.into_iter().chain(first..first + count).collect())
}

#[expect(clippy::disallowed_methods, reason = "fresh seeds must differ from run to run; each is printed if it fails")]
fn fresh() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    since.as_secs() * 100_000
}

fn top() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn corpus() -> anyhow::Result<Vec<u64>> {
    let folder = top().join("tests/simulation/corpus");
    let mut seeds = Vec::new();
    for entry in std::fs::read_dir(&folder).with_context(|| format!("read {}", folder.display()))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        seeds.extend(name.parse::<u64>().ok());
    }
    seeds.sort_unstable();
    Ok(seeds)
}

fn replay(seed: u64, lie: Lie) -> anyhow::Result<bool> {
    let mut out = std::io::stdout();
    match play_one(seed, lie) {
        Ok(told) => {
            writeln!(out, "seed {seed} holds; trace {:016x}", told.hash)?;
            for (what, count) in told.counts.all() {
                writeln!(out, "  {count:>6} {what}")?;
            }
            Ok(true)
        }
        Err(violation) => {
            writeln!(out, "seed {seed}: {}", violation.0)?;
            Ok(false)
        }
    }
}

/// What breaks is told at once, and now and then how far it is.
fn tell_progress(done: usize, all: usize, seed: u64, broken: Option<&Violation>) {
    let mut err = std::io::stderr();
    let told = match broken {
        Some(violation) => writeln!(err, "seed {seed}: {}", violation.0),
        None if done.is_multiple_of(500) => writeln!(err, "{done} of {all} seeds"),
        None => Ok(()),
    };
    // Whoever closed the terminal does not want to be told.
    drop(told);
}

/// What is said when money is not where it belongs.
const LOST: &[&str] = &["no till knows", "went back", "not the gateway's", "do not balance", "does not have"];

fn tell(summary: &Summary, took: Duration) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    for (seed, violation) in &summary.broken {
        writeln!(out, "seed {seed}: {}", violation.0)?;
        writeln!(out, "  again: make simulate SEED={seed}")?;
    }
    let broke = |signs: &[&str]| {
        let says = |(_, violation): &&(u64, Violation)| signs.iter().any(|sign| violation.0.contains(sign));
        summary.broken.iter().filter(says).count()
    };
    let (charged, lost) = (broke(&["charged"]), broke(LOST));
    let counts = &summary.counts;
    let told = ["orders", "charges", "crashes", "cash", "other customer's code"];
    let faults: Vec<_> =
        counts.all().filter(|(what, _)| !told.contains(what)).map(|(what, count)| format!("{what} {count}")).collect();
    writeln!(
        out,
        "{} orders, {} charges, {} crashes; faults: {}; double charges {charged}; seeds that lost a fen {lost}; seeds that broke something {} of {}; \
         trace {:016x}; {} s",
        counts.of("orders"),
        counts.of("charges"),
        counts.of("crashes"),
        faults.join(", "),
        summary.broken.len(),
        summary.seeds,
        summary.hash,
        took.as_secs(),
    )?;
    Ok(())
}

/// Seeds that broke something are played first from now on.
fn keep(summary: &Summary) -> anyhow::Result<()> {
    for (seed, violation) in &summary.broken {
        let path = top().join("tests/simulation/corpus").join(seed.to_string());
        if !path.exists() {
            let text = format!("{}\n", violation.0);
            std::fs::write(&path, text).with_context(|| format!("write {}", path.display()))?;
        }
    }
    Ok(())
}

fn hunt(name: &str) -> anyhow::Result<bool> {
    let mut out = std::io::stdout();
    let all = bugs::load(&top())?;
    let hunted: Vec<&Bug> =
        all.iter().filter(|bug| name == "all" || name.split(',').any(|name| name == bug.id)).collect();
    anyhow::ensure!(!hunted.is_empty(), "there is no bug {name}");
    let copy = Copy::new(&top())?;
    let mut caught = 0;
    for bug in &hunted {
        match copy.hunt(bug) {
            Ok(Some(catch)) => {
                caught += 1;
                writeln!(out, "{}: caught by seed {}: {}", bug.id, catch.seed, catch.violation)?;
            }
            Ok(None) => writeln!(out, "{}: NOT CAUGHT in {} seeds", bug.id, bug.seeds)?,
            Err(error) => writeln!(out, "{}: {error:#}", bug.id)?,
        }
        out.flush()?;
    }
    writeln!(out, "planted bugs caught: {caught} of {}", hunted.len())?;
    Ok(caught == hunted.len())
}
