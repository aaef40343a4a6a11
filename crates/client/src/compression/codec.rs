//! The compressors: zlib and zstd behind one face that works on pieces, and grows no buffer by itself.

use std::io;

use flate2::{Compress, Decompress, FlushCompress, FlushDecompress, Status};
use zstd_safe::zstd_sys::ZSTD_EndDirective;
use zstd_safe::{CCtx, CParameter, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective};

use super::CompressionAlgorithm;
use crate::error::Error;

/// The level of zstd in both directions, the servers' and their clients' default
/// (<https://dev.mysql.com/doc/refman/8.0/en/connection-options.html#option_general_zstd-compression-level>).
pub(crate) const ZSTD_COMPRESSION_LEVEL: u8 = 3;

/// The longest window of zstd, as an exponent of two: no payload of a compressed packet is longer. The window's memory is asked of the
/// system as a whole, but it gives only what is written to.
const MAX_WINDOW_LOG: u32 = 24;

/// How many bytes the output of a compressor has room for at a time.
const OUTPUT_STEP_BYTES: usize = 64 << 10;

/// How far a decompressor came.
pub(super) struct Progress {
    /// How many bytes of the input it took.
    pub(super) read: usize,
    /// How many bytes of the output it filled.
    pub(super) written: usize,
    /// Whether the compressed stream is at its end, its checksum right.
    pub(super) has_ended: bool,
}

impl Progress {
    /// Whether the decompressor did not move at all.
    pub(super) fn is_none(&self) -> bool {
        self.read == 0 && self.written == 0 && !self.has_ended
    }
}

/// A decompressor.
pub(super) enum Decoder {
    Zlib(Decompress),
    Zstd(DCtx<'static>),
}

impl Decoder {
    pub(super) fn new(algorithm: CompressionAlgorithm) -> Result<Self, Error> {
        match algorithm {
            CompressionAlgorithm::Zlib => Ok(Decoder::Zlib(Decompress::new(true))),
            CompressionAlgorithm::Zstd => {
                let mut context = DCtx::try_create().ok_or_else(out_of_memory)?;
                context
                    .set_parameter(DParameter::WindowLogMax(MAX_WINDOW_LOG))
                    .map_err(|_| out_of_memory())?;
                Ok(Decoder::Zstd(context))
            }
        }
    }

    /// Begins with another compressed stream.
    pub(super) fn reset(&mut self) {
        match self {
            Decoder::Zlib(state) => state.reset(true),
            Decoder::Zstd(context) => {
                // Fails for parameters in mid-stream only, which are left alone.
                let _ = context.reset(ResetDirective::SessionOnly);
            }
        }
    }

    /// Goes on: takes input, fills output. `None`: the stream is corrupt.
    pub(super) fn decode(&mut self, input: &[u8], output: &mut [u8]) -> Option<Progress> {
        match self {
            Decoder::Zlib(state) => {
                let before = (state.total_in(), state.total_out());
                let status = state.decompress(input, output, FlushDecompress::Finish).ok()?;
                Some(Progress {
                    read: usize::try_from(state.total_in() - before.0).ok()?,
                    written: usize::try_from(state.total_out() - before.1).ok()?,
                    has_ended: status == Status::StreamEnd,
                })
            }
            Decoder::Zstd(context) => {
                let mut input = InBuffer::around(input);
                let mut output = OutBuffer::around(output);
                let hint = context.decompress_stream(&mut output, &mut input).ok()?;
                Some(Progress { read: input.pos(), written: output.pos(), has_ended: hint == 0 })
            }
        }
    }
}

/// A compressor.
pub(super) enum Encoder {
    Zlib(Compress),
    Zstd(CCtx<'static>),
}

impl Encoder {
    pub(super) fn new(algorithm: CompressionAlgorithm) -> Result<Self, Error> {
        match algorithm {
            CompressionAlgorithm::Zlib => {
                Ok(Encoder::Zlib(Compress::new(flate2::Compression::default(), true)))
            }
            CompressionAlgorithm::Zstd => {
                let mut context = CCtx::try_create().ok_or_else(out_of_memory)?;
                context
                    .set_parameter(CParameter::CompressionLevel(ZSTD_COMPRESSION_LEVEL.into()))
                    .map_err(|_| out_of_memory())?;
                Ok(Encoder::Zstd(context))
            }
        }
    }

    /// Appends one whole compressed stream, which holds all pieces. `false`: it would make `out` longer than `limit`, and was given up.
    pub(super) fn encode(
        &mut self,
        pieces: [&[u8]; 2],
        out: &mut Vec<u8>,
        limit: usize,
    ) -> Result<bool, Error> {
        self.reset(pieces.iter().map(|piece| piece.len()).sum())?;
        let [first, last] = pieces;
        Ok(self.encode_piece(first, out, limit, false)?
            && self.encode_piece(last, out, limit, true)?
            && out.len() <= limit)
    }

    fn reset(&mut self, length: usize) -> Result<(), Error> {
        match self {
            Encoder::Zlib(state) => state.reset(),
            Encoder::Zstd(context) => {
                let reset = context.reset(ResetDirective::SessionOnly);
                let length = u64::try_from(length).ok();
                reset
                    .and_then(|_| context.set_pledged_src_size(length))
                    .map_err(|_| out_of_memory())?;
            }
        }
        Ok(())
    }

    fn encode_piece(
        &mut self,
        mut piece: &[u8],
        out: &mut Vec<u8>,
        limit: usize,
        is_last: bool,
    ) -> Result<bool, Error> {
        loop {
            if out.len() > limit {
                return Ok(false);
            }
            out.reserve(OUTPUT_STEP_BYTES.min(limit + 1 - out.len()));
            let (read, is_done) = self.step(piece, out, is_last)?;
            piece = piece.get(read..).unwrap_or_default();
            if is_done {
                return Ok(true);
            }
        }
    }

    /// Takes input, fills the room of the output; how much was taken, and whether all of it is done.
    fn step(
        &mut self,
        input: &[u8],
        out: &mut Vec<u8>,
        is_last: bool,
    ) -> Result<(usize, bool), Error> {
        match self {
            Encoder::Zlib(state) => {
                let before = state.total_in();
                let flush = if is_last { FlushCompress::Finish } else { FlushCompress::None };
                let status = state.compress_vec(input, out, flush).map_err(|_| out_of_memory())?;
                let read =
                    usize::try_from(state.total_in() - before).map_err(|_| out_of_memory())?;
                let is_done =
                    if is_last { status == Status::StreamEnd } else { read == input.len() };
                Ok((read, is_done))
            }
            Encoder::Zstd(context) => {
                let end = if is_last {
                    ZSTD_EndDirective::ZSTD_e_end
                } else {
                    ZSTD_EndDirective::ZSTD_e_continue
                };
                let mut input = InBuffer::around(input);
                let all = input.src.len();
                let written = out.len();
                let mut output = OutBuffer::around_pos(out, written);
                let left = context.compress_stream2(&mut output, &mut input, end);
                let left = left.map_err(|_| out_of_memory())?;
                let is_done = if is_last { left == 0 } else { input.pos() == all };
                Ok((input.pos(), is_done))
            }
        }
    }
}

/// All that a compressor, or the making of a decompressor, can fail of.
#[cold]
fn out_of_memory() -> Error {
    Error::lost(io::ErrorKind::OutOfMemory.into(), true)
}
