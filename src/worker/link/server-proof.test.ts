import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startOf } from '../../util/process/process-tree'
import { ownProcess, processPlace, type ServerProcess } from '../../util/process/server-process'
import { ServerProof } from './server-proof'

let home: string
const children: Bun.Subprocess[] = []
beforeEach(() => {
  home = mkdtempSync('/tmp/ld-')
})
afterEach(async () => {
  for (const child of children.splice(0)) {
    child.kill('SIGKILL')
    await child.exited
  }
  rmSync(home, { recursive: true, force: true })
})

const write = (process: unknown) =>
  writeFileSync(join(home, 'server.json'), JSON.stringify({ url: 'http://x', process }))

/** A process that wrote itself there, as a server does. */
function server(more: Partial<ServerProcess> = {}): Bun.Subprocess {
  const child = Bun.spawn(['/bin/sleep', '60'], { stdio: ['ignore', 'ignore', 'ignore'] })
  children.push(child)
  const place = processPlace() ?? ''
  write({ instance: 'a', pid: child.pid, processStart: startOf(child.pid), place, ...more })
  return child
}

async function end(child: Bun.Subprocess): Promise<void> {
  child.kill('SIGKILL')
  await child.exited
}

/** A worker that heard of instance `a`, once that is gone. */
async function proofAfterEnd(more: Partial<ServerProcess> = {}, heard: string | null = 'a'): Promise<ServerProof> {
  const child = server(more)
  const proof = new ServerProof(home)
  proof.noteInstance(heard)
  expect(proof.isGone()).toBe(false)
  await end(child)
  return proof
}

test('a server is gone when that very process is, killed or ended in order', async () => {
  const proof = await proofAfterEnd()
  expect(proof.isGone()).toBe(true)
  rmSync(join(home, 'server.json'))
  expect(proof.isGone()).toBe(true)
})

test('a server that stands still is there', () => {
  const child = server()
  const proof = new ServerProof(home)
  proof.noteInstance('a')
  child.kill('SIGSTOP')
  expect(proof.isGone()).toBe(false)
})

test('a server whose pid another process has by now is gone', () => {
  server({ processStart: '0@long-ago' })
  const proof = new ServerProof(home)
  proof.noteInstance('a')
  expect(proof.isGone()).toBe(true)
})

test("a server of another machine, boot or container is never gone, though its pid is nobody's here", async () => {
  expect((await proofAfterEnd({ place: `${processPlace()}0` })).isGone()).toBe(false)
})

test('a server that did not write itself into this folder is never gone', async () => {
  // Another folder's, or one that is reached by a tunnel; and one of a database that others may speak for.
  expect((await proofAfterEnd({}, 'b')).isGone()).toBe(false)
  expect((await proofAfterEnd({}, null)).isGone()).toBe(false)
})

test('a server that has started on the folder since is there, until it is gone, too', async () => {
  const proof = await proofAfterEnd()
  const next = server({ instance: 'b' })
  expect(proof.isGone()).toBe(false)
  await end(next)
  expect(proof.isGone()).toBe(true)
})

test('a worker whose server moved elsewhere has no proof of the one that was here', async () => {
  const proof = await proofAfterEnd()
  proof.noteInstance('elsewhere')
  expect(proof.isGone()).toBe(false)
})

test('a server that answers a moment before it has written itself there is found at its next answer', async () => {
  const proof = new ServerProof(home)
  proof.noteInstance('a')
  const child = server()
  proof.noteInstance('a')
  await end(child)
  expect(proof.isGone()).toBe(true)
})

test('a file that is cut short, foreign or of another release proves nothing', async () => {
  const proof = await proofAfterEnd()
  const known = { instance: 'a', pid: 1, processStart: 'x', place: 'y' }
  for (const wrong of [
    undefined,
    null,
    7,
    {},
    { ...known, pid: -1 },
    { ...known, pid: '1' },
    { ...known, place: null },
  ]) {
    write(wrong)
    expect(proof.isGone()).toBe(false)
  }
  writeFileSync(join(home, 'server.json'), '{"process":')
  expect(proof.isGone()).toBe(false)
})

test('the process that asks is there', () => {
  write(ownProcess('a'))
  const proof = new ServerProof(home)
  proof.noteInstance('a')
  expect(proof.isGone()).toBe(false)
})
