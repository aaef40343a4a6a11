//! A port that gives whatever rows a test says.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use vaquita_client::Address;

/// It speaks memcached's protocol, or HandlerSocket's, whichever it is asked in.
pub(crate) struct Scripted {
    pub(crate) address: Address,
    /// The values of the next rows, whatever the key; the last one stays.
    pub(crate) rows: Arc<Mutex<Vec<Vec<String>>>>,
    /// How many rows were asked for.
    pub(crate) asked: Arc<AtomicU64>,
}

impl Scripted {
    pub(crate) fn new(rows: &[&[&str]]) -> Scripted {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let address = Address::Tcp { host: "127.0.0.1".into(), port };
        let owned = |row: &&[&str]| row.iter().map(|value| (*value).to_owned()).collect();
        let rows = Arc::new(Mutex::new(rows.iter().map(owned).collect()));
        let asked = Arc::new(AtomicU64::new(0));
        let scripted = Scripted { address, rows: Arc::clone(&rows), asked: Arc::clone(&asked) };
        thread::spawn(move || {
            for client in listener.incoming() {
                let (mut client, rows, asked) =
                    (client.unwrap(), Arc::clone(&rows), Arc::clone(&asked));
                thread::spawn(move || {
                    let requests = BufReader::new(client.try_clone().unwrap());
                    for line in requests.lines().map_while(Result::ok) {
                        let reply = reply(&line, &rows, &asked);
                        if client.write_all(reply.as_bytes()).is_err() {
                            return;
                        }
                    }
                });
            }
        });
        scripted
    }

    pub(crate) fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }
}

fn reply(line: &str, rows: &Mutex<Vec<Vec<String>>>, asked: &AtomicU64) -> String {
    let next = || {
        asked.fetch_add(1, Ordering::Relaxed);
        let mut rows = rows.lock().unwrap();
        if rows.len() > 1 { rows.remove(0) } else { rows[0].clone() }
    };
    if let Some(key) = line.strip_prefix("get ") {
        let row = next().join("|");
        return format!("VALUE {} 0 {}\r\n{row}\r\nEND\r\n", key.trim_end(), row.len());
    }
    if line.starts_with(['A', 'P']) {
        return "0\t1\n".to_owned();
    }
    let row = next();
    format!("0\t{}\t{}\n", row.len(), row.join("\t"))
}
