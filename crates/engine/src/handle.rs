//! The engine lives on one thread. Others hold a handle and hand it work.

use crate::Engine;
use futures_util::StreamExt;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::FuturesUnordered;
use std::rc::Rc;
use tokio::sync::{broadcast, mpsc, oneshot};
use yidan_payment::PaymentId;

type Work = Box<dyn FnOnce(Rc<Engine>) -> LocalBoxFuture<'static, ()> + Send>;

/// Hands work to the engine, from any thread.
#[derive(Clone)]
pub struct Counter {
    work: mpsc::UnboundedSender<Work>,
    changes: broadcast::Sender<PaymentId>,
}

/// Work for the engine, at the engine's end.
pub struct Inbox(mpsc::UnboundedReceiver<Work>);

/// The engine has stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the counter is shutting down")]
pub struct Stopped;

impl Counter {
    /// A handle to `engine`, and the inbox to serve.
    #[must_use]
    pub fn new(engine: &Engine) -> (Counter, Inbox) {
        let (work, inbox) = mpsc::unbounded_channel();
        (Counter { work, changes: engine.changes_sender() }, Inbox(inbox))
    }

    /// Has the engine do `work` and waits for the result. The work goes on even if nobody waits any more.
    ///
    /// # Errors
    /// [`Stopped`].
    pub async fn ask<T, F, Fut>(&self, work: F) -> Result<T, Stopped>
    where
        T: Send + 'static,
        F: FnOnce(Rc<Engine>) -> Fut + Send + 'static,
        Fut: Future<Output = T> + 'static,
    {
        let (done, result) = oneshot::channel();
        let work: Work = Box::new(move |engine| {
            Box::pin(async move {
                // Whoever asked may have gone.
                let _gone = done.send(work(engine).await);
            })
        });
        self.work.send(work).map_err(|_| Stopped)?;
        result.await.map_err(|_| Stopped)
    }

    /// Waits until the engine has stopped. While a handle lives it never stops by itself: then it broke.
    pub async fn stopped(&self) {
        self.work.closed().await;
    }

    /// Names of payments as they change.
    #[must_use]
    pub fn changes(&self) -> broadcast::Receiver<PaymentId> {
        self.changes.subscribe()
    }
}

/// Runs the engine until every handle is gone: the work handed in, the timers, the reports.
pub async fn serve(engine: Rc<Engine>, inbox: Inbox) {
    let Inbox(mut inbox) = inbox;
    let _end = End(Rc::clone(&engine));
    let mut asking = std::pin::pin!(Rc::clone(&engine).keep_asking());
    let mut reporting = std::pin::pin!(Rc::clone(&engine).keep_reporting());
    let mut recovering = std::pin::pin!(Rc::clone(&engine).keep_recovering());
    let mut listening = std::pin::pin!(Rc::clone(&engine).keep_listening());
    let mut fetching = std::pin::pin!(Rc::clone(&engine).keep_fetching_bills());
    let mut works = FuturesUnordered::new();
    loop {
        tokio::select! {
            biased;
            // These never end, so they come first: however much work is handed in, timers and reports go on.
            () = &mut asking => {}
            () = &mut reporting => {}
            () = &mut listening => {}
            () = &mut recovering => {}
            () = &mut fetching => {}
            Some(()) = works.next(), if !works.is_empty() => {}
            work = inbox.recv() => match work {
                Some(work) => works.push(work(Rc::clone(&engine))),
                None => return,
            },
        }
    }
}

/// However serving ends, the runs under way are let go: each holds the engine, and with it the lock of the folder.
struct End(Rc<Engine>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.flights.clear();
    }
}
