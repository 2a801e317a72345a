//! The counter behind the window, from the first run to the running engine.
//!
//! Must always hold: at most one engine runs, and it is gone before anything else opens its folder.

use crate::compose::{self, Running};
use crate::demo;
use crate::place::{KeyOpener, PlaceArguments};
use crate::screen::{Screen, show_shop};
use crate::setup::{Folder, Setup};
use crate::view::{
    AlipayLamp, AlipayState, CertificateDays, CheckLamp, CommandError, CounterView, ErrorKind, HqLamp, HqState,
    Language, SelfTestView, ShopView, Stage, StatusView,
};
use crate::world::SystemClock;
use anyhow::{Context, Result, anyhow};
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::watch;
use yidan_alipay::Trust;
use yidan_engine::{Clock as _, Counter, Database, Engine, find_lock_name, is_keyring_usable};
use yidan_sandbox::Sandbox;
use zeroize::Zeroizing;

/// The counter behind the window.
pub struct Till {
    /// Where it lives.
    pub place: PlaceArguments,
    /// Its files.
    pub folder: Folder,
    at: Mutex<At>,
    screen: Arc<Mutex<Screen>>,
    sandbox: Mutex<Option<Sandbox>>,
    news: watch::Sender<u64>,
    self_test: Mutex<SelfTestView>,
    self_test_wanted: watch::Sender<u64>,
}

/// How far it has come.
enum At {
    /// Opening, or opening again: nothing can be asked for a moment.
    Opening,
    Broken(String),
    FirstRun {
        language: Language,
        keyring: bool,
    },
    Locked,
    Ready(Box<Ready>),
}

struct Ready {
    running: Running,
    opener: KeyOpener,
}

impl Till {
    /// A till that has not been opened.
    ///
    /// # Errors
    /// If the system names no folder.
    pub fn new(place: PlaceArguments) -> Result<Till> {
        Ok(Till {
            folder: place.folder()?,
            place,
            at: Mutex::new(At::Opening),
            screen: Arc::default(),
            sandbox: Mutex::new(None),
            news: watch::Sender::new(0),
            self_test: Mutex::default(),
            self_test_wanted: watch::Sender::new(0),
        })
    }

    /// Opens the counter as far as it goes without a person.
    pub async fn open(&self) {
        let at = self.find_stage().await.unwrap_or_else(|error| {
            tracing::error!("the counter does not open: {error:#}");
            At::Broken(format!("{error:#}"))
        });
        self.set(at);
    }

    async fn find_stage(&self) -> Result<At> {
        let sandbox = demo::prepare_place(&self.place, &self.folder).await?;
        *lock(&self.sandbox) = sandbox;
        if !self.is_set_up()? {
            let keyring = tokio::task::spawn_blocking(is_keyring_usable).await.unwrap_or(false);
            return Ok(At::FirstRun { language: Language::Zh, keyring });
        }
        let sealed_by = find_lock_name(&self.folder.keys())?;
        if sealed_by.as_deref() == Some("passphrase") && self.place.passphrase_file.is_none() {
            return Ok(At::Locked);
        }
        let opener = self.place.key_opener(&self.folder)?;
        Ok(At::Ready(Box::new(self.start(opener).await?)))
    }

    fn is_set_up(&self) -> Result<bool> {
        if !self.folder.0.join("yidan.db").exists() {
            return Ok(false);
        }
        Ok(Setup::find(&Database::open(&self.folder.0)?)?.is_some())
    }

    async fn start(&self, opener: KeyOpener) -> Result<Ready> {
        let folder = self.folder.clone();
        let open = move || -> Result<Ready> { Ok(Ready { running: compose::start(&folder, &opener.lock())?, opener }) };
        let ready = tokio::task::spawn_blocking(open).await.context("opening broke off")??;
        let screen = ready.running.counter.ask(|engine| async move { Screen::open(&engine) }).await??;
        *lock(&self.screen) = screen;
        Ok(ready)
    }

    /// Whoever opens is looked at.
    fn set(&self, at: At) {
        let is_open = matches!(at, At::Ready(_));
        *lock(&self.at) = at;
        self.look_again();
        if is_open {
            self.want_self_test();
        }
    }

    /// Opens the keys with the passphrase that somebody typed.
    ///
    /// # Errors
    /// [`ErrorKind::WrongPin`] for a wrong passphrase.
    pub async fn unlock(&self, passphrase: Zeroizing<String>) -> Result<(), CommandError> {
        if !matches!(*lock(&self.at), At::Locked) {
            return Err(CommandError::plain(ErrorKind::NotNow));
        }
        let ready = self.start(KeyOpener::Passphrase(passphrase)).await;
        let ready = ready.map_err(|error| match error.downcast_ref::<yidan_engine::KeyfileError>() {
            Some(_) => CommandError::plain(ErrorKind::WrongPin),
            None => CommandError::because(ErrorKind::Storage, &error),
        })?;
        self.set(At::Ready(Box::new(ready)));
        Ok(())
    }

    /// Opens the counter after its first setup was written.
    ///
    /// # Errors
    /// If it does not open; the screen says why.
    pub async fn open_with(&self, opener: KeyOpener) -> Result<()> {
        let ready = self.start(opener).await?;
        self.set(At::Ready(Box::new(ready)));
        Ok(())
    }

    /// Does `work` while the engine is gone, then starts it again, however `work` ended.
    ///
    /// # Errors
    /// What `work` says, or that the engine does not start again.
    pub async fn while_closed<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        let opener = self.close().await?;
        let done = work.await;
        match self.start(opener).await {
            Ok(ready) => self.set(At::Ready(Box::new(ready))),
            Err(error) => {
                self.set(At::Broken(format!("{error:#}")));
                return Err(error);
            }
        }
        done
    }

    /// Calls under way are waited for; everything is durable at any moment.
    async fn close(&self) -> Result<KeyOpener> {
        let ready = {
            let mut at = lock(&self.at);
            match std::mem::replace(&mut *at, At::Opening) {
                At::Ready(ready) => ready,
                not_open @ (At::Opening | At::Broken(_) | At::FirstRun { .. } | At::Locked) => {
                    *at = not_open;
                    return Err(anyhow!("the counter is not open"));
                }
            }
        };
        let Running { counter, thread, .. } = ready.running;
        drop(counter);
        let ended = tokio::task::spawn_blocking(move || thread.join()).await;
        ended.ok().and_then(Result::ok).context("the engine's thread broke")?;
        Ok(ready.opener)
    }

    /// A handle to the engine.
    ///
    /// # Errors
    /// If it does not run.
    pub fn counter(&self) -> Result<Counter, CommandError> {
        match &*lock(&self.at) {
            At::Ready(ready) => Ok(ready.running.counter.clone()),
            At::Opening => Err(CommandError::plain(ErrorKind::Busy)),
            At::Locked => Err(CommandError::plain(ErrorKind::Locked)),
            At::FirstRun { .. } => Err(CommandError::plain(ErrorKind::NotNow)),
            At::Broken(why) => Err(CommandError { kind: ErrorKind::Storage, message: why.clone() }),
        }
    }

    /// The setup of the running counter, the fingerprint of its key, and what opens its keys.
    ///
    /// # Errors
    /// If it does not run.
    pub fn keys(&self) -> Result<(Setup, String, KeyOpener), CommandError> {
        match &*lock(&self.at) {
            At::Ready(ready) => {
                let Ready { running, opener } = ready.as_ref();
                Ok((running.setup.clone(), running.app_key_fingerprint.clone(), opener.clone()))
            }
            At::Opening | At::Locked | At::FirstRun { .. } | At::Broken(_) => {
                Err(CommandError::plain(ErrorKind::NotNow))
            }
        }
    }

    /// Whether this is the first run.
    #[must_use]
    pub fn is_first_run(&self) -> bool {
        matches!(*lock(&self.at), At::FirstRun { .. })
    }

    /// Before there is a database, the language is only remembered.
    pub fn speak_at_first(&self, wanted: Language) {
        if let At::FirstRun { language, .. } = &mut *lock(&self.at) {
            *language = wanted;
        }
        self.look_again();
    }

    /// What is on the screen.
    #[must_use]
    pub fn screen(&self) -> Arc<Mutex<Screen>> {
        Arc::clone(&self.screen)
    }

    /// The address of the sandbox; `None` with real money.
    #[must_use]
    pub fn sandbox_url(&self) -> Option<String> {
        let inside = lock(&self.sandbox).as_ref().map(demo::address_of);
        inside.or_else(|| self.place.demo.clone().filter(|url| !url.is_empty()))
    }

    /// Asks for a look at everything.
    pub fn want_self_test(&self) {
        self.self_test_wanted.send_modify(|turn| *turn += 1);
    }

    /// Tells of everything that [`Till::want_self_test`] is called for.
    #[must_use]
    pub fn self_test_wanted(&self) -> watch::Receiver<u64> {
        self.self_test_wanted.subscribe()
    }

    /// What the last look at everything found.
    #[must_use]
    pub fn self_test(&self) -> SelfTestView {
        lock(&self.self_test).clone()
    }

    /// Keeps what a look at everything found.
    pub fn show_self_test(&self, found: SelfTestView) {
        *lock(&self.self_test) = found;
        self.look_again();
    }

    /// How long the certificates are still good, by this computer's clock; none in key mode.
    #[must_use]
    pub fn days_left(&self) -> Vec<CertificateDays> {
        match &*lock(&self.at) {
            At::Ready(ready) => days_left(&ready.running.trust),
            At::Opening | At::Locked | At::FirstRun { .. } | At::Broken(_) => Vec::new(),
        }
    }

    /// Something changed that a screen may show.
    pub fn look_again(&self) {
        self.news.send_modify(|turn| *turn += 1);
    }

    /// Tells of everything that [`Till::look_again`] is called for.
    #[must_use]
    pub fn news(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// Waits until the counter is open, or as far as it goes.
    pub async fn opened(&self) {
        let mut news = self.news();
        while matches!(*lock(&self.at), At::Opening) {
            if news.changed().await.is_err() {
                return;
            }
        }
    }

    /// The whole counter as it is now.
    ///
    /// # Errors
    /// If it is opening, or does not open.
    pub async fn look(&self) -> Result<CounterView, CommandError> {
        let (counter, setup) = match &*lock(&self.at) {
            At::Ready(ready) => (ready.running.counter.clone(), ready.running.setup.clone()),
            At::FirstRun { language, keyring } => return Ok(self.before(Stage::FirstRun, *language, *keyring)),
            At::Locked => return Ok(self.before(Stage::Unlock, Language::Zh, false)),
            At::Opening => return Err(CommandError::plain(ErrorKind::Busy)),
            At::Broken(why) => return Err(CommandError { kind: ErrorKind::Storage, message: why.clone() }),
        };
        let screen = self.screen();
        let show = move |engine: Rc<Engine>| async move { lock(&screen).show(&engine, &setup) };
        let mut view = counter.ask(show).await??;
        view.status.check = self.self_test().lamp();
        view.status.certificate_days = self.days_left().into_iter().map(|left| left.days).min();
        Ok(view)
    }

    /// The counter before its engine runs.
    fn before(&self, stage: Stage, language: Language, keyring: bool) -> CounterView {
        CounterView {
            stage,
            demo: self.place.is_demo(),
            keyring,
            shop: ShopView::default(),
            language,
            subject: String::new(),
            current: None,
            pinned: Vec::new(),
            recent: Vec::new(),
            status: StatusView {
                alipay: AlipayLamp { state: AlipayState::Unknown, ms: None },
                hq: HqLamp { state: HqState::Off, waiting: 0 },
                clock_offset_ms: None,
                certificate_days: None,
                check: CheckLamp::UNKNOWN,
                operator: None,
                now_ms: 0,
            },
            clone_warning: false,
            recovering: 0,
            open_cases: 0,
        }
    }

    /// One line about a counter that is open, for whoever started it.
    #[must_use]
    pub fn ready_line(&self) -> serde_json::Value {
        let shop = match &*lock(&self.at) {
            At::Ready(ready) => show_shop(&ready.running.setup),
            At::Opening | At::Locked | At::FirstRun { .. } | At::Broken(_) => ShopView::default(),
        };
        serde_json::json!({
            "pid": std::process::id(),
            "demo": self.place.is_demo(),
            "sandbox_url": self.sandbox_url(),
            "store_id": shop.store_id,
            "terminal_id": shop.terminal_id,
        })
    }
}

fn days_left(trust: &Trust) -> Vec<CertificateDays> {
    let Trust::Certificates(certificates) = trust else { return Vec::new() };
    let left = certificates.days_left(SystemClock::start().local());
    left.into_iter().map(|left| CertificateDays { is_apps: left.is_apps, days: left.days }).collect()
}

/// A lock that a panic left behind guards nothing that could be half done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
