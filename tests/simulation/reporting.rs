//! Headquarters as a counter's program reaches it.

use crate::machine::Machine;
use crate::wire::{HqReply, What};
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
    /// The enrolment whose key signs.
    pub epoch: u32,
}

impl Reporting {
    async fn exchange(&self, batch: &Batch) -> Result<Ack, HqError> {
        let (reply, answer) = oneshot::channel();
        self.machine.send(What::Report { epoch: self.epoch, batch: batch.clone(), reply });
        let answered = match select(answer, self.machine.rest(PATIENCE)).await {
            Either::Left((Ok(reply), _)) => reply,
            Either::Left((Err(_), silence)) => {
                silence.await;
                return Err(HqError::Unanswered("no answer in time".into()));
            }
            Either::Right(((), _)) => return Err(HqError::Unanswered("no answer in time".into())),
        };
        match answered {
            HqReply::Acked(ack) => Ok(ack),
            HqReply::Conflict(conflict) => Err(HqError::Conflict(conflict)),
            HqReply::Broken => Err(HqError::Busy { retry_after: None }),
        }
    }
}

impl Hq for Reporting {
    fn send<'a>(&'a self, batch: &'a Batch) -> LocalBoxFuture<'a, Result<Ack, HqError>> {
        Box::pin(self.exchange(batch))
    }

    // One terminal has its bills for itself.
    fn claim<'a>(&'a self, _claim: &'a Claim) -> LocalBoxFuture<'a, Result<Granted, HqError>> {
        Box::pin(async { Ok(Granted { terminal_id: String::new() }) })
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
