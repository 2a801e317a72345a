//! Headquarters as a counter's program reaches it.

use crate::machine::Machine;
use crate::wire::{HqAsk, HqReply, Signer, What};
use futures_util::StreamExt;
use futures_util::future::{Either, LocalBoxFuture, select};
use futures_util::stream::unfold;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use yidan_engine::{Hq, HqError, Pushes};
use yidan_wire::{Ack, Batch, Claim, Granted, Heard, Past, Push, Since};

const PATIENCE: Duration = Duration::from_secs(30);

/// Headquarters as a counter's program reaches it.
pub struct Reporting {
    /// The computer.
    pub machine: Rc<Machine>,
    /// Whose key signs.
    pub signer: Signer,
    /// Whether headquarters tells anything.
    pub hears: bool,
}

impl Reporting {
    async fn exchange(&self, ask: HqAsk) -> Result<HqReply, HqError> {
        let (reply, answer) = oneshot::channel();
        self.machine.send(What::ToHq { signer: self.signer, ask, reply });
        let answered = match select(answer, self.machine.rest(PATIENCE)).await {
            Either::Left((Ok(reply), _)) => reply,
            Either::Left((Err(_), silence)) => {
                silence.await;
                return Err(HqError::Unanswered("no answer in time".into()));
            }
            Either::Right(((), _)) => return Err(HqError::Unanswered("no answer in time".into())),
        };
        match answered {
            HqReply::Conflict(conflict) => Err(HqError::Conflict(conflict)),
            HqReply::NotGranted(why) => Err(HqError::NotGranted(why)),
            HqReply::Broken => Err(HqError::Busy { retry_after: None }),
            HqReply::Refused => Err(HqError::Refused("this key is no terminal's".into())),
            said @ (HqReply::Acked(_) | HqReply::Granted(_) | HqReply::Past(_) | HqReply::Heard) => Ok(said),
        }
    }
}

type Line = mpsc::UnboundedReceiver<Vec<Push>>;

async fn next_piece(mut told: Line) -> Option<(Result<Vec<Push>, HqError>, Line)> {
    Some((Ok(told.recv().await?), told))
}

fn unasked() -> HqError {
    HqError::Unanswered("an answer to another question".into())
}

impl Hq for Reporting {
    fn send<'a>(&'a self, batch: &'a Batch) -> LocalBoxFuture<'a, Result<Ack, HqError>> {
        Box::pin(async {
            let said = self.exchange(HqAsk::Report(batch.clone())).await?;
            if let HqReply::Acked(ack) = said { Ok(ack) } else { Err(unasked()) }
        })
    }

    fn claim<'a>(&'a self, claim: &'a Claim) -> LocalBoxFuture<'a, Result<Granted, HqError>> {
        Box::pin(async {
            let said = self.exchange(HqAsk::Claim(claim.clone())).await?;
            if let HqReply::Granted(granted) = said { Ok(granted) } else { Err(unasked()) }
        })
    }

    fn history(&self, since: Since) -> LocalBoxFuture<'_, Result<Past, HqError>> {
        Box::pin(async move {
            let said = self.exchange(HqAsk::History(since)).await?;
            if let HqReply::Past(past) = said { Ok(past) } else { Err(unasked()) }
        })
    }

    // A connection has no time limit. One that never comes about tells nothing.
    fn listen(&self, heard: Heard) -> LocalBoxFuture<'_, Result<Pushes, HqError>> {
        if !self.hears {
            return Box::pin(std::future::pending());
        }
        Box::pin(async move {
            let (line, told) = mpsc::unbounded_channel();
            let (reply, answer) = oneshot::channel();
            self.machine.send(What::ToHq { signer: self.signer, ask: HqAsk::Listen(heard, line), reply });
            match answer.await {
                Ok(HqReply::Heard) => Ok(unfold(told, next_piece).boxed_local()),
                Ok(_) => Err(unasked()),
                Err(_) => Err(HqError::Unanswered("the connection broke".into())),
            }
        })
    }

    fn acknowledge(&self, heard: Heard) -> LocalBoxFuture<'_, Result<(), HqError>> {
        Box::pin(async move { self.exchange(HqAsk::Heard(heard)).await.map(|_| ()) })
    }
}
