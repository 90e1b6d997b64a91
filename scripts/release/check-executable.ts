/** What can be seen of an executable without running it. */
import { open, stat } from 'node:fs/promises'
import type { Target } from './targets'

/** What a person installs is smaller than this, in bytes. */
export const LARGEST_BYTES = 150_000_000

/** The first bytes of an executable, and the number that names its processor with its place. */
const ELF = [0x7f, 0x45, 0x4c, 0x46]
const MACH_O = [0xcf, 0xfa, 0xed, 0xfe]
const PORTABLE_EXECUTABLE = [0x4d, 0x5a]
const MACHINES = {
  linux: { magic: ELF, at: 18, x64: 0x3e, arm64: 0xb7 },
  darwin: { magic: MACH_O, at: 4, x64: 0x0100_0007, arm64: 0x0100_000c },
  win32: { magic: PORTABLE_EXECUTABLE, at: null, x64: 0x8664, arm64: 0xaa64 },
} as const

/** @throws Error the file is too large, or is no executable for the target */
export async function checkExecutable(file: string, target: Target): Promise<{ bytes: number }> {
  const { size } = await stat(file)
  if (size > LARGEST_BYTES) throw new Error(`${file} has ${size} bytes; at most ${LARGEST_BYTES} are allowed.`)
  const handle = await open(file)
  const { buffer } = await handle.read(Buffer.alloc(4096), 0, 4096, 0).finally(() => handle.close())
  const { magic, at, ...machines } = MACHINES[target.os]
  if (!magic.every((byte, i) => buffer[i] === byte)) throw new Error(`${file} is no executable for ${target.os}.`)
  const machine = machineAt(buffer, target.os, at)
  if (machine !== machines[target.cpu]) throw new Error(`${file} is for another processor than ${target.cpu}.`)
  if (target.os === 'linux' && isMusl(buffer) !== (target.libc === 'musl'))
    throw new Error(`${file} needs another C library than ${target.libc}.`)
  return { bytes: size }
}

function machineAt(buffer: Buffer, os: Target['os'], at: number | null): number {
  if (os === 'darwin') return buffer.readUInt32LE(at ?? 0)
  // The old header of a file for Windows says where the new one begins.
  const header = at ?? buffer.readUInt32LE(0x3c) + 4
  return header + 2 <= buffer.length ? buffer.readUInt16LE(header) : 0
}

/** The name of the loader that a Linux executable asks for stands near its beginning. */
const isMusl = (buffer: Buffer): boolean => buffer.includes('ld-musl-')
