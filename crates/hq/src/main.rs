//! The `yidan-hq` program: runs headquarters, makes enrolment codes, adds users.

use anyhow::{Context as _, bail};
use clap::{Args, Parser, Subcommand};
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use tracing_subscriber::EnvFilter;
use yidan_hq::{
    Clock, Config, Database, Merchant, NewCode, Notices, Secret, create_code, export, set_user, start, url_in, verify,
};

/// Headquarters of Yidan 一单: receives the journals of all terminals and shows what is proved.
#[derive(Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Runs headquarters until SIGTERM or SIGINT; prints one line of JSON with its url.
    Serve(Serve),
    /// Prints a code with which one terminal enrols: one use, 15 minutes.
    EnrolCode(EnrolCode),
    /// Writes a terminal's journal, one line of JSON each, to standard output.
    Export(Export),
    /// Checks an exported journal: numbers, chain, hashes, and Alipay's signature under all money.
    Verify(Verify),
    /// Who may sign in.
    #[command(subcommand)]
    User(User),
}

#[derive(Args)]
struct Place {
    /// The data folder; the database is DIR/hq.db.
    #[arg(long, value_name = "DIR", required_unless_present = "database_url")]
    data: Option<PathBuf>,
    /// The database itself, `sqlite:PATH`.
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    database_url: Option<String>,
}

#[derive(Args)]
struct Serve {
    #[command(flatten)]
    place: Place,
    /// Where to listen; port 0 takes a free one.
    #[arg(long, default_value = "127.0.0.1:8790")]
    listen: SocketAddr,
    /// TOML: app_id, seller_id, alipay_public_key, mode.
    #[arg(long, value_name = "FILE")]
    merchant: PathBuf,
    /// Money of the sandbox. Needs a merchant file of mode demo.
    #[arg(long)]
    demo: bool,
    /// A proxy in front speaks TLS; needed to listen anywhere but on this machine.
    #[arg(long)]
    behind_proxy: bool,
    /// A file with the token with which programs may read and make codes.
    #[arg(long, value_name = "FILE")]
    admin_token_file: Option<PathBuf>,
    /// How Alipay reaches this server, `https://…`: terminals then ask for notices to be sent there. With --demo the
    /// sandbox is taken to be on this machine.
    #[arg(long, value_name = "URL")]
    public_url: Option<String>,
    /// Written once requests are taken: one line of JSON with the url.
    #[arg(long, value_name = "PATH")]
    ready_file: Option<PathBuf>,
}

#[derive(Args)]
struct EnrolCode {
    #[command(flatten)]
    place: Place,
    /// The store, letters and digits.
    #[arg(long)]
    store: String,
    /// The name of the store on the screens.
    #[arg(long)]
    store_name: String,
    /// A terminal that enrols again, or the name of a new one; else the store's next free one.
    #[arg(long)]
    terminal: Option<String>,
}

#[derive(Args)]
struct Export {
    #[command(flatten)]
    place: Place,
    /// Whose journal.
    #[arg(long)]
    terminal: String,
}

#[derive(Args)]
struct Verify {
    /// What `export` has written.
    file: PathBuf,
    /// TOML, as for `serve`: whose money it is, and Alipay's key.
    #[arg(long, value_name = "FILE")]
    merchant: PathBuf,
}

#[derive(Subcommand)]
enum User {
    /// Adds a user, or sets a new password. Without a file a password is made and printed.
    Add {
        #[command(flatten)]
        place: Place,
        /// Who signs in.
        name: String,
        /// The password; `-` reads it from standard input.
        #[arg(long, value_name = "FILE")]
        password_file: Option<PathBuf>,
    },
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info,sqlx=warn"));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .with_writer(std::io::stderr)
        // Who reads our words may be gone before us: by default that would be a panic.
        .log_internal_errors(false)
        .init();
    match Arguments::parse().command {
        Command::Serve(arguments) => serve(arguments).await,
        Command::EnrolCode(arguments) => print_code(arguments).await,
        Command::Export(arguments) => write_export(&arguments).await,
        Command::Verify(arguments) => verify_file(&arguments),
        Command::User(User::Add { place, name, password_file }) => add_user(&place, &name, password_file).await,
    }
}

async fn serve(arguments: Serve) -> anyhow::Result<()> {
    let config = Config {
        listen: arguments.listen,
        database_url: arguments.place.url()?,
        merchant: Merchant::load(&arguments.merchant)?,
        demo: arguments.demo,
        behind_proxy: arguments.behind_proxy,
        admin_token: arguments.admin_token_file.as_deref().map(read_secret).transpose()?,
        notices: match arguments.public_url {
            Some(url) => Notices::At(url),
            None if arguments.demo => Notices::Here,
            None => Notices::Off,
        },
        clock: Clock::of_system(),
    };
    let hq = start(config).await?;
    let ready = format!("{}\n", serde_json::json!({ "url": hq.url() }));
    if let Some(path) = &arguments.ready_file {
        write_whole(path, &ready)?;
    }
    std::io::stdout().write_all(ready.as_bytes())?;
    wait_for_signal().await?;
    tracing::info!("stopping");
    hq.stop().await;
    Ok(())
}

/// Whole or not at all: whoever waits for the file must not read half of it.
fn write_whole(path: &Path, text: &str) -> anyhow::Result<()> {
    let partial = path.with_extension("partial");
    std::fs::write(&partial, text).with_context(|| format!("cannot write {}", partial.display()))?;
    std::fs::rename(&partial, path).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(unix)]
async fn wait_for_signal() -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn wait_for_signal() -> anyhow::Result<()> {
    Ok(tokio::signal::ctrl_c().await?)
}

async fn print_code(arguments: EnrolCode) -> anyhow::Result<()> {
    let database = Database::open(&arguments.place.url()?).await?;
    let wanted =
        NewCode { store_id: arguments.store, store_name: arguments.store_name, terminal_id: arguments.terminal };
    let code = create_code(&database, &wanted, Clock::of_system().now()).await?;
    database.close().await;
    writeln!(std::io::stdout(), "{}", code.code.reveal())?;
    tracing::info!(terminal_id = code.terminal_id, "one use, 15 minutes");
    Ok(())
}

async fn write_export(arguments: &Export) -> anyhow::Result<()> {
    let database = Database::open(&arguments.place.url()?).await?;
    let mut out = std::io::BufWriter::new(std::io::stdout());
    let lines = export(&database, &arguments.terminal, &mut out).await?;
    out.flush()?;
    database.close().await;
    tracing::info!(terminal_id = arguments.terminal, lines, "exported");
    Ok(())
}

/// Fails if the chain does not hold, or if money is not proved.
fn verify_file(arguments: &Verify) -> anyhow::Result<()> {
    let merchant = Merchant::load(&arguments.merchant)?;
    let file =
        std::fs::File::open(&arguments.file).with_context(|| format!("cannot open {}", arguments.file.display()))?;
    let verified = verify(std::io::BufReader::new(file), &merchant)?;
    writeln!(std::io::stdout(), "{}", serde_json::to_string(&verified)?)?;
    if !verified.unproved.is_empty() {
        bail!("{} lines tell of money that Alipay has not signed", verified.unproved.len());
    }
    Ok(())
}

async fn add_user(place: &Place, name: &str, password_file: Option<PathBuf>) -> anyhow::Result<()> {
    let database = Database::open(&place.url()?).await?;
    let now = Clock::of_system().now();
    match password_file {
        Some(path) => set_user(&database, name, &read_secret(&path)?, now).await?,
        None => {
            let password = Secret::random_code();
            set_user(&database, name, &password, now).await?;
            writeln!(std::io::stdout(), "{}", password.reveal())?;
        }
    }
    database.close().await;
    Ok(())
}

impl Place {
    fn url(&self) -> anyhow::Result<String> {
        match (&self.data, &self.database_url) {
            (Some(folder), _) => {
                std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
                Ok(url_in(&std::path::absolute(folder)?))
            }
            (None, Some(url)) => Ok(url.clone()),
            (None, None) => bail!("give --data DIR or --database-url URL"),
        }
    }
}

fn read_secret(path: &Path) -> anyhow::Result<Secret> {
    let mut text = String::new();
    if path == Path::new("-") {
        std::io::stdin().read_to_string(&mut text)?;
    } else {
        text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    }
    let text = text.trim();
    if text.is_empty() {
        bail!("{} is empty", path.display());
    }
    Ok(Secret::new(text))
}
