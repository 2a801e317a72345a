//! Reads server-sent events: whole events out of the pieces in which bytes come.

use yidan_wire::Push;

/// More is no event of headquarters.
const LONGEST: usize = 1 << 20;

/// The bytes of an event that is not complete yet.
#[derive(Default)]
pub(crate) struct EventStream {
    pending: Vec<u8>,
}

/// What comes is no stream of headquarters.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoEvent {
    /// It never ends.
    #[error("an event is longer than any of headquarters")]
    TooLong,
    /// It is not what it says.
    #[error("an event is not what headquarters tells")]
    NotAPush(#[source] serde_json::Error),
}

impl EventStream {
    /// Takes the next bytes; answers with what is complete now. Comments are signs of life and nothing more.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<Vec<Push>, NoEvent> {
        self.pending.extend_from_slice(bytes);
        let mut pushes = Vec::new();
        while let Some(end) = self.pending.windows(2).position(|pair| pair == b"\n\n") {
            let event: Vec<u8> = self.pending.drain(..end + 2).collect();
            pushes.extend(read_event(&event)?);
        }
        if self.pending.len() > LONGEST {
            return Err(NoEvent::TooLong);
        }
        Ok(pushes)
    }
}

fn read_event(event: &[u8]) -> Result<Option<Push>, NoEvent> {
    let lines = || event.split(|byte| *byte == b'\n');
    let is_push = lines().any(|line| line == b"event: push");
    let mut data = lines().filter_map(|line| line.strip_prefix(b"data: ".as_slice()));
    match data.next().filter(|_| is_push) {
        Some(data) => serde_json::from_slice(data).map(Some).map_err(NoEvent::NotAPush),
        None => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use yidan_wire::Told;

    const PUSH: &str = "event: push\ndata: {\"seq\":1,\"id\":\"01890a5d-ac96-774b-bcce-b302099a8057\",\
                        \"what\":{\"kind\":\"notice\",\"body\":\"a=1\"}}\n\n";

    #[test]
    fn an_event_is_read_however_it_is_cut() {
        let text = format!(":\n\n{PUSH}:\n\n");
        for cut in 0..text.len() {
            let mut stream = EventStream::default();
            let mut pushes = stream.take(&text.as_bytes()[..cut]).unwrap();
            pushes.extend(stream.take(&text.as_bytes()[cut..]).unwrap());
            assert_eq!(pushes.len(), 1, "cut at {cut}");
            assert_eq!((pushes[0].seq, &pushes[0].what), (1, &Told::Notice { body: "a=1".into() }));
        }
    }

    #[test]
    fn what_is_no_stream_ends_it() {
        assert!(EventStream::default().take(b"event: push\ndata: {}\n\n").is_err());
        assert!(EventStream::default().take(&vec![b'x'; LONGEST + 1]).is_err());
        assert!(EventStream::default().take(b"event: song\ndata: la\n\n").unwrap().is_empty());
    }
}
