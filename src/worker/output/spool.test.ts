import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { AppError } from '../../domain/errors'
import { Spool } from './spool'
import { SpoolUploader } from './spool-uploader'

const folder = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let files = 0
const path = () => join(folder, `${++files}.jsonl`)
const bytes = (text: string) => new TextEncoder().encode(text)
/** @param size  the most bytes of a file that this process may write */
const limitFiles = (size: string) => {
  const { exitCode, stderr } = Bun.spawnSync(['prlimit', `--pid=${process.pid}`, `--fsize=${size}:unlimited`])
  if (exitCode !== 0) throw new Error(stderr.toString())
}

/** Keeps what it is sent as the server does. */
function keeper(held = '') {
  let kept = Buffer.from(held)
  return {
    text: () => kept.toString(),
    async send(offset: number, piece: Uint8Array): Promise<{ offset: number }> {
      if (offset > kept.length) throw new AppError('conflict', 'a gap', { details: { offset: kept.length } })
      kept = Buffer.concat([kept, piece.subarray(Math.max(0, kept.length - offset))])
      return { offset: kept.length }
    },
  }
}

describe('a spool', () => {
  test('keeps in memory what the disk does not take, and makes up for it', async () => {
    const at = path()
    const problems: unknown[] = []
    const spool = new Spool(at, (error) => problems.push(error))
    const text = 'x'.repeat(3_000)
    // As a full disk does, a limit lets a part through and then none.
    process.on('SIGXFSZ', () => {})
    limitFiles('1000')
    try {
      spool.append(bytes(text))
      spool.append(bytes('end\n'))
    } finally {
      limitFiles('unlimited')
    }
    expect([spool.size, statSync(at).size, problems]).toMatchObject([3_004, 1_000, [{ code: 'EFBIG' }]])
    expect(new TextDecoder().decode(spool.read(990, 5_000))).toBe(`${text.slice(990)}end\n`)
    expect(spool.read(2_999, 3)).toEqual(bytes('xen'))
    while (statSync(at).size < spool.size) await Bun.sleep(5)
    spool.append(bytes('more\n'))
    expect(readFileSync(at, 'utf8')).toBe(`${text}end\nmore\n`)
    expect(problems).toHaveLength(1)
    spool.close()
  })

  test('has no room for more once memory holds much that the disk does not take', async () => {
    const spool = new Spool('/dev/full')
    spool.append(new Uint8Array(16 * 2 ** 20))
    await spool.room()
    spool.append(bytes('x'))
    const room = spool.room().then(() => 'room')
    expect(await Promise.race([room, Bun.sleep(20)])).toBeUndefined()
    // Nobody waits for a spool that is closed.
    spool.close()
    expect(await room).toBe('room')
  })

  test('keeps what was appended over a restart', async () => {
    const at = path()
    const first = new Spool(at)
    first.append(bytes('one\n'))
    first.append(bytes('tw'))
    first.close()
    const second = new Spool(at)
    expect(second.size).toBe(6)
    second.append(bytes('o\n'))
    expect(new TextDecoder().decode(second.read(2, 100))).toBe('e\ntwo\n')
    expect(second.read(8, 5)).toHaveLength(0)
    await second.sync()
    second.close()
  })
})

describe('the output of a run', () => {
  test('reaches the server whole, in order and once, whatever fails on the way', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 1, maxLength: 30 }), { maxLength: 12 }),
        fc.array(fc.constantFrom('ok', 'away', 'answer lost'), { maxLength: 8 }),
        fc.boolean(),
        async (pieces, faults, isRestart) => {
          const spool = new Spool(path())
          const server = keeper()
          const uploader = new SpoolUploader({
            spool,
            ...(isRestart ? {} : { offset: 0 }),
            async send(offset, piece) {
              const fault = faults.shift() ?? 'ok'
              if (fault === 'away') throw new AppError('unavailable', 'away')
              const answer = await server.send(offset, piece)
              if (fault === 'answer lost') throw new AppError('unavailable', 'reset')
              return answer
            },
            onRefused: (error) => {
              throw error
            },
          })
          for (const piece of pieces) {
            spool.append(bytes(piece))
            uploader.wake()
          }
          expect(await uploader.drain()).toBe(true)
          expect(server.text()).toBe(pieces.join(''))
          spool.close()
        },
      ),
      { numRuns: 12 },
    )
  })

  test('goes at once when it is asked for, and what follows after it', async () => {
    const spool = new Spool(path())
    const server = keeper('')
    const uploader = new SpoolUploader({ spool, offset: 0, send: server.send, onRefused: () => {} })
    for (const piece of ['abc', 'def']) {
      spool.append(bytes(piece))
      uploader.wake()
      uploader.flush()
      await new Promise((resolve) => setImmediate(resolve))
      expect(server.text()).toEndWith(piece)
    }
    await uploader.stop()
    spool.close()
  })

  test('goes on where the server stands after a restart of the worker', async () => {
    const spool = new Spool(path())
    spool.append(bytes('abcdef'))
    const server = keeper('abc')
    const offsets: number[] = []
    const uploader = new SpoolUploader({
      spool,
      send(offset, piece) {
        if (piece.length > 0) offsets.push(offset)
        return server.send(offset, piece)
      },
      onRefused: () => {},
    })
    expect(await uploader.drain()).toBe(true)
    expect(server.text()).toBe('abcdef')
    expect(offsets).toEqual([3])
    spool.close()
  })

  test('is not sent for ever to a server that refuses it', async () => {
    const spool = new Spool(path())
    spool.append(bytes('abc'))
    const refused: unknown[] = []
    const uploader = new SpoolUploader({
      spool,
      offset: 0,
      send: async () => {
        throw new AppError('forbidden', 'not yours')
      },
      onRefused: (error) => refused.push(error),
    })
    expect(await uploader.drain()).toBe(false)
    expect(refused).toHaveLength(1)
    spool.close()
  })

  test('waits in the spool when the worker ends while the server is away', async () => {
    const spool = new Spool(path())
    spool.append(bytes('abc'))
    const uploader = new SpoolUploader({
      spool,
      offset: 0,
      send: async () => {
        throw new AppError('unavailable', 'away')
      },
      onRefused: () => {},
    })
    const drained = uploader.drain()
    await uploader.stop()
    expect(await drained).toBe(false)
    spool.close()
  })
})
