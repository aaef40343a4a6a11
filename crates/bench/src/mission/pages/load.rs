//! A client that asks a web server for one page over and over, as so many browsers at once, and looks at each answer.

use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A page that takes longer never comes.
const LIMIT: Duration = Duration::from_secs(60);
/// How a page ends that came whole.
const END: &str = "</html>";

/// A page to ask for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// The host by which the application knows itself.
    pub(super) host: String,
    pub(super) path: String,
    /// What is in it.
    pub(super) mark: String,
}

/// How long so many pages took.
#[derive(Debug)]
pub(super) struct Took {
    /// From the first request to the last answer.
    pub(super) all: Duration,
    /// Each of them.
    pub(super) each: Vec<Duration>,
}

impl Page {
    /// Asks for it once, by the socket of a web server.
    ///
    /// # Errors
    /// The system's, or what else came.
    pub(super) fn ask(&self, socket: &Path) -> Result<(), String> {
        let said = |error: std::io::Error| format!("{}: {error}", self.path);
        let mut stream = UnixStream::connect(socket).map_err(said)?;
        stream.set_read_timeout(Some(LIMIT)).map_err(said)?;
        // HTTP/1.0: the end of the answer is that of the connection.
        let request = format!("GET {} HTTP/1.0\r\nHost: {}\r\n\r\n", self.path, self.host);
        stream.write_all(request.as_bytes()).map_err(said)?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).map_err(said)?;
        self.check(&String::from_utf8_lossy(&answer))
    }

    fn check(&self, answer: &str) -> Result<(), String> {
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((answer, ""));
        let status = head.split_whitespace().nth(1).unwrap_or("none");
        let wrong = match body {
            _ if status != "200" => format!("status {status}"),
            _ if !body.contains(&self.mark) => format!("{} is not in it", self.mark),
            _ if !body.trim_end().ends_with(END) => "it is cut off".to_owned(),
            _ => return Ok(()),
        };
        let shown: String = answer.chars().take(500).collect();
        Err(format!("{}: {wrong}:\n{shown}", self.path))
    }

    /// Asks for it so often, by so many clients, each of which asks again as soon as it has its answer.
    ///
    /// # Errors
    /// The first of a client's.
    pub(super) fn ask_often(
        &self,
        socket: &Path,
        clients: u32,
        requests: u32,
    ) -> Result<Took, String> {
        let asked = AtomicU32::new(0);
        let client = || -> Result<Vec<Duration>, String> {
            let mut each = Vec::new();
            while asked.fetch_add(1, Ordering::Relaxed) < requests {
                let begun = Instant::now();
                self.ask(socket)?;
                each.push(begun.elapsed());
            }
            Ok(each)
        };
        let begun = Instant::now();
        let done: Result<Vec<_>, String> = thread::scope(|scope| {
            let all: Vec<_> = (0..clients).map(|_| scope.spawn(client)).collect();
            let joined = |it: thread::ScopedJoinHandle<'_, _>| {
                it.join().map_err(|_| "a client panicked".to_owned())?
            };
            all.into_iter().map(joined).collect()
        });
        Ok(Took { all: begun.elapsed(), each: done?.concat() })
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;
    use std::{env, fs};

    use super::*;

    const ANSWER: &str = "HTTP/1.1 200 OK\r\nServer: x\r\n\r\n<html><b>7</b></html>\n";

    fn page() -> Page {
        Page { host: "x".to_owned(), path: "/a".to_owned(), mark: "<b>7</b>".to_owned() }
    }

    #[test]
    fn a_page_has_its_mark_and_its_end() {
        assert_eq!(page().check(ANSWER), Ok(()));
        let wrong = |from, to| page().check(&ANSWER.replace(from, to)).unwrap_err();
        assert!(wrong("200", "500").starts_with("/a: status 500:\n"));
        assert!(wrong("7", "8").starts_with("/a: <b>7</b> is not in it:\n"));
        assert!(wrong("</html>", "</ht").starts_with("/a: it is cut off:\n"));
        assert!(page().check("").unwrap_err().starts_with("/a: status none"));
    }

    #[test]
    fn all_clients_together_ask_so_often() {
        let socket = env::temp_dir().join(format!("vaquita-pages-{}", std::process::id()));
        let listener = UnixListener::bind(&socket).unwrap();
        let server = thread::spawn(move || {
            for stream in listener.incoming().take(8) {
                let mut stream = stream.unwrap();
                let mut request = [0; 100];
                let length = stream.read(&mut request).unwrap();
                assert_eq!(&request[..length], b"GET /a HTTP/1.0\r\nHost: x\r\n\r\n");
                stream.write_all(ANSWER.as_bytes()).unwrap();
            }
        });
        let took = page().ask_often(&socket, 3, 7);
        assert_eq!(page().ask(&socket), Ok(()));
        server.join().unwrap();
        let took = took.unwrap();
        assert_eq!(took.each.len(), 7);
        assert!(took.each.iter().all(|it| *it <= took.all));
        assert!(page().ask_often(&socket, 1, 1).is_err());
        fs::remove_file(&socket).unwrap();
    }
}
