//! Headquarters as a counter's program reaches it.

use crate::machine::Machine;
use crate::wire::{HqAsk, HqReply, Signer, What};
use futures_util::future::{Either, LocalBoxFuture, select};
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::oneshot;
use yidan_engine::{Hq, HqError, Pushes};
use yidan_wire::{Ack, Batch, Claim, Granted, Heard, Past, Since};

const PATIENCE: Duration = Duration::from_secs(30);

/// Headquarters as a counter's program reaches it.
pub struct Reporting {
    /// The computer.
    pub machine: Rc<Machine>,
    /// Whose key signs.
    pub signer: Signer,
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
            said @ (HqReply::Acked(_) | HqReply::Granted(_)) => Ok(said),
        }
    }
}

fn unasked() -> HqError {
    HqError::Unanswered("an answer to another question".into())
}

impl Hq for Reporting {
    fn send<'a>(&'a self, batch: &'a Batch) -> LocalBoxFuture<'a, Result<Ack, HqError>> {
        Box::pin(async {
            match self.exchange(HqAsk::Report(batch.clone())).await? {
                HqReply::Acked(ack) => Ok(ack),
                _ => Err(unasked()),
            }
        })
    }

    fn claim<'a>(&'a self, claim: &'a Claim) -> LocalBoxFuture<'a, Result<Granted, HqError>> {
        Box::pin(async {
            match self.exchange(HqAsk::Claim(claim.clone())).await? {
                HqReply::Granted(granted) => Ok(granted),
                _ => Err(unasked()),
            }
        })
    }

    fn history(&self, _since: Since) -> LocalBoxFuture<'_, Result<Past, HqError>> {
        Box::pin(std::future::pending())
    }

    // This headquarters tells nothing: the connection never comes about.
    fn listen(&self, _heard: Heard) -> LocalBoxFuture<'_, Result<Pushes, HqError>> {
        Box::pin(std::future::pending())
    }

    fn acknowledge(&self, _heard: Heard) -> LocalBoxFuture<'_, Result<(), HqError>> {
        Box::pin(std::future::pending())
    }
}
