/**
 * The code signature of an executable for macOS. Bun signs what it makes for Apple's processors. In an executable for Intel it keeps the
 * signature of the bare runtime, which fits no longer: macOS may kill such a program, and runs one without a signature.
 */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import type { Target } from './targets'

/** https://github.com/apple-oss-distributions/xnu: `mach-o/loader.h` and `osfmk/kern/cs_blobs.h`. */
const HEADER_BYTES = 32
const CODE_SIGNATURE = 0x1d
const SEGMENT_64 = 0x19
const CODE_DIRECTORY = 0xfade_0c02
const SHA256 = 2

/** `none` = there is no signature; `damaged` = a page is not what was signed. */
export type MacSignature = 'valid' | 'damaged' | 'none'

/** Looks at the pages that were signed, not at who signed them. */
export function macSignature(bytes: Buffer): MacSignature {
  const signature = commandsOf(bytes).find(({ kind }) => kind === CODE_SIGNATURE)
  if (signature === undefined) return 'none'
  const start = bytes.readUInt32LE(signature.at + 8)
  const directory = directoryAt(bytes, start)
  if (directory === null) return 'damaged'
  const pageBytes = 2 ** bytes.readUInt8(directory + 39)
  const hashes = directory + bytes.readUInt32BE(directory + 16)
  const count = bytes.readUInt32BE(directory + 28)
  const limit = bytes.readUInt32BE(directory + 32)
  // The program that Bun adds stands behind the runtime: what is signed has to reach to the signature.
  if (limit !== start || bytes.readUInt8(directory + 37) !== SHA256) return 'damaged'
  for (let page = 0; page < count; page++) {
    const part = bytes.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, limit))
    const hash = bytes.subarray(hashes + page * 32, hashes + page * 32 + 32)
    if (!createHash('sha256').update(part).digest().equals(hash)) return 'damaged'
  }
  return 'valid'
}

/**
 * Makes sure that macOS runs an executable: with a signature that fits, or for Intel with none.
 *
 * @throws Error the executable is for Apple's processors, which run nothing without a signature, and has none that fits
 */
export async function signedForMac(file: string, { cpu }: Pick<Target, 'cpu'>): Promise<void> {
  const bytes = await readFile(file)
  const found = macSignature(bytes)
  if (cpu === 'arm64' && found !== 'valid') throw new Error(`${file} has no signature that fits.`)
  if (found === 'damaged') await writeFile(file, withoutSignature(file, bytes))
}

/** The signature has to be the file's end, as linkers write it. */
function withoutSignature(file: string, bytes: Buffer): Buffer {
  const commands = commandsOf(bytes)
  const at = commands.findIndex(({ kind }) => kind === CODE_SIGNATURE)
  const signature = commands[at]
  const last = commands.at(-1)
  const links = commands.find((each) => each.kind === SEGMENT_64 && nameOf(bytes, each.at) === '__LINKEDIT')
  if (signature === undefined || last === undefined || links === undefined)
    throw new Error(`${file} has no segment __LINKEDIT.`)
  const start = bytes.readUInt32LE(signature.at + 8)
  if (start + bytes.readUInt32LE(signature.at + 12) !== bytes.length)
    throw new Error(`${file} has something behind its signature.`)
  // The commands behind it move up.
  const end = last.at + last.size
  bytes.copyWithin(signature.at, signature.at + signature.size, end)
  bytes.fill(0, end - signature.size, end)
  bytes.writeUInt32LE(commands.length - 1, 16)
  bytes.writeUInt32LE(bytes.readUInt32LE(20) - signature.size, 20)
  const linksAt = links.at > signature.at ? links.at - signature.size : links.at
  const size = BigInt(start) - bytes.readBigUInt64LE(linksAt + 40)
  bytes.writeBigUInt64LE(size, linksAt + 48)
  return bytes.subarray(0, start)
}

interface LoadCommand {
  kind: number
  /** Its place in the file, and its size. */
  at: number
  size: number
}

function commandsOf(bytes: Buffer): LoadCommand[] {
  const commands: LoadCommand[] = []
  let at = HEADER_BYTES
  for (let left = bytes.readUInt32LE(16); left > 0; left--) {
    const [kind, size] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)]
    commands.push({ kind, at, size })
    at += size
  }
  return commands
}

const nameOf = (bytes: Buffer, at: number): string => bytes.toString('latin1', at + 8, at + 24).replace(/\0+$/, '')

function directoryAt(bytes: Buffer, start: number): number | null {
  for (let index = bytes.readUInt32BE(start + 8); index > 0; index--) {
    const place = start + bytes.readUInt32BE(start + 12 + (index - 1) * 8 + 4)
    if (bytes.readUInt32BE(place) === CODE_DIRECTORY) return place
  }
  return null
}
