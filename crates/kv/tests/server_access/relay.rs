//! A relay before a port, which notes what is asked and cuts what is answered.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use vaquita_client::Address;

/// Lets bytes of a port through, so many; then it closes, or says nothing any more.
pub(crate) struct Relay {
    pub(crate) address: Address,
    /// How many bytes of replies are let through on each connection.
    pub(crate) allowed: Arc<AtomicUsize>,
    /// What was asked.
    pub(crate) requests: Arc<Mutex<Vec<u8>>>,
    is_over: Arc<AtomicBool>,
}

impl Relay {
    pub(crate) fn to(port: &Address) -> Relay {
        let Address::Tcp { host, port } = port.clone() else { panic!("{port:?}") };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address =
            Address::Tcp { host: "127.0.0.1".into(), port: listener.local_addr().unwrap().port() };
        let (allowed, is_over) =
            (Arc::new(AtomicUsize::new(usize::MAX)), Arc::new(AtomicBool::new(false)));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let relay = Relay {
            address,
            allowed: Arc::clone(&allowed),
            requests: Arc::clone(&asked),
            is_over: Arc::clone(&is_over),
        };
        thread::spawn(move || {
            for client in listener.incoming() {
                if is_over.load(Ordering::Relaxed) {
                    return;
                }
                let mut client = client.unwrap();
                let mut server = TcpStream::connect((&*host, port)).unwrap();
                let (mut replies, mut requests) =
                    (server.try_clone().unwrap(), client.try_clone().unwrap());
                let asked = Arc::clone(&asked);
                thread::spawn(move || {
                    let mut some = [0; 4096];
                    while let Ok(bytes @ 1..) = requests.read(&mut some) {
                        asked.lock().unwrap().extend(&some[..bytes]);
                        if server.write_all(&some[..bytes]).is_err() {
                            break;
                        }
                    }
                    let _ = server.shutdown(Shutdown::Both);
                });
                let allowed = Arc::clone(&allowed);
                thread::spawn(move || {
                    let mut byte = [0];
                    while matches!(replies.read(&mut byte), Ok(1)) {
                        let left = allowed.load(Ordering::Relaxed);
                        if left == 0 {
                            break;
                        }
                        if left != usize::MAX {
                            allowed.store(left - 1, Ordering::Relaxed);
                        }
                        if client.write_all(&byte).is_err() {
                            break;
                        }
                    }
                    let _ = client.shutdown(Shutdown::Both);
                });
            }
        });
        relay
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Address::Tcp { host, port } = &self.address {
            let _ = TcpStream::connect((&**host, *port));
        }
    }
}
