/** The record without a server: commands in process, hooks that find nobody, and the same facts by another path. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Session, Subagent } from '../../../src/api/contract/wire'
import { cliInTurn } from '../../lab/in-turn'
import { Lab } from '../../lab/lab'
import { hookCommand } from '../../lab/lode'
import { hookSettings } from './hook-settings'
import { readOracle } from './oracle'
import { readRecord, sessionFiles, settled, sorted } from './record'
import { dumpTables } from './tables'

let lab: Lab
beforeEach(() => {
  lab = new Lab()
})
afterEach(() => lab.stop(), 30_000)

test('with no server, a command takes in what the transcripts and the hook journal hold', async () => {
  const folder = lab.root
  const id = crypto.randomUUID()
  const settings = hookSettings(hookCommand(join(folder, 'home')))
  const claude = await lab.addClaude({ version: '2.1.328', script: 'subagents', settings })
  const lodeline = lab.addLode('home', { claudeRoots: [claude.claudeRoot] })
  await claude.run({ prompt: 'Please search', sessionId: id })

  const oracle = readOracle(claude.transcripts, id)
  const { session, subagents } = await lodeline.json<{ session: Session; subagents: Subagent[] }>('session', 'show', id)
  expect(session.counts).toEqual({ ...oracle.counts, errors: 0, filesChanged: 0, unknownAgents: 0, malformedLines: 0 })
  expect(session.usage).toEqual(oracle.usage)
  expect(session.status).toBe('ended')
  expect(subagents.map((agent) => agent.id as string).sort()).toEqual(oracle.subagents.map((agent) => agent.id))
  await lodeline.json('session', 'export', id, '--to', join(folder, 'out'))
  for (const [name, bytes] of sessionFiles(claude.transcripts, id)) {
    expect(Buffer.from(await Bun.file(join(folder, 'out', name)).arrayBuffer()).equals(bytes)).toBe(true)
  }
})

test('of a session whose transcript was swept before it was seen, what is recorded of its sub-agents is exported, and said to be all', async () => {
  const folder = lab.root
  const root = join(folder, 'claude')
  const fixture = join(import.meta.dir, '../../fixtures/claude-code/lineage/2.1.328/projects/-home-user-project')
  const id = '5e551011-0000-4000-8000-000000000328'
  const project = join(root, 'projects/-home-user-project')
  cpSync(join(fixture, id), join(project, id), { recursive: true })
  const lodeline = lab.addLode('home', { claudeRoots: [root] })
  await lodeline.lode('import', project)
  const exported = await lodeline.lode('session', 'export', id, '--to', join(folder, 'out'), '--json')
  expect(exported).toMatchObject({ exitCode: 0 })
  const { files, hasTranscript } = JSON.parse(exported.stdout) as { files: { path: string }[]; hasTranscript: boolean }
  expect(hasTranscript).toBe(false)
  const names = readdirSync(join(project, id, 'subagents')).sort()
  expect(files.map(({ path }) => basename(path)).sort()).toEqual(names)
  for (const name of names)
    expect(
      readFileSync(join(folder, 'out', id, 'subagents', name)).equals(
        readFileSync(join(project, id, 'subagents', name)),
      ),
    ).toBe(true)
  const told = await lodeline.lode('session', 'export', id, '--to', join(folder, 'again'))
  expect(told).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('was never recorded') })
  expect((await lodeline.lode('session', 'show', id)).exitCode).toBe(0)
})

for (const version of cliInTurn('stream')) {
  test(`Claude Code ${version}: a run's stream and its transcripts are the same facts`, async () => {
    const id = crypto.randomUUID()
    const claude = await lab.addClaude({ version, script: 'subagents' })
    const run = await claude.run({ prompt: 'Please search', sessionId: id })
    const stream = join(lab.root, 'run.jsonl')
    writeFileSync(stream, run.stdout)

    const [one, two] = [lab.addLode('one'), lab.addLode('two')]
    for (const lodeline of [one, two]) await lodeline.up(['serve'])
    // The stream comes first: it tells less of the sub-agents, and must not stand in the way of who knows more.
    for (const paths of [[stream], [claude.claudeRoot]]) await one.client.import({ paths })
    for (const paths of [[claude.claudeRoot], [stream]]) await two.client.import({ paths })
    const oracle = sorted(readOracle(claude.transcripts, id))
    for (const { client } of [one, two]) expect(sorted(await readRecord(client, id))).toEqual(oracle)
  })
}

test('a session restored in another place and continued in both is one session with all lines', async () => {
  const id = crypto.randomUUID()
  const claude = await lab.addClaude({ version: '2.1.328', script: 'compaction' })
  const elsewhere = await lab.addClaude({ version: '2.1.328', script: 'compaction' })
  const lodeline = lab.addLode('home', { claudeRoots: [claude.claudeRoot, elsewhere.claudeRoot] })
  await lodeline.up()
  await claude.run({ prompt: 'hello', sessionId: id })
  await settled(lodeline.client, claude.transcripts, id)
  mkdirSync(elsewhere.transcripts, { recursive: true })
  cpSync(claude.transcript(id), elsewhere.transcript(id))
  await Promise.all([claude, elsewhere].map((place, i) => place.run({ prompt: `go on in place ${i}`, resume: id })))
  for (const place of [claude, elsewhere]) await settled(lodeline.client, place.transcripts, id)

  const earlier = sessionFiles(elsewhere.transcripts, id).get(`${id}.jsonl`)?.toString('utf8') ?? ''
  const oracle = readOracle(claude.transcripts, id, { earlier: [earlier] })
  const record = await readRecord(lodeline.client, id)
  expect(sorted(record).events).toEqual(sorted(oracle).events)
  expect(record.counts).toEqual(oracle.counts)
  const before = await dumpTables(lodeline)
  await lodeline.json('rebuild')
  expect(await dumpTables(lodeline)).toEqual(before)
})

for (const version of cliInTurn('half a line')) {
  test(`Claude Code ${version}: a half line that a crash left costs no other line`, async () => {
    const id = crypto.randomUUID()
    const claude = await lab.addClaude({ version, script: 'compaction' })
    const lodeline = lab.addLode('home', { claudeRoots: [claude.claudeRoot] })
    await lodeline.up()
    await claude.run({ prompt: 'hello', sessionId: id })
    const half = '{"parentUuid":null,"type":"user","message":{"role":"user","content":[{"type":"text","text":"no e'
    appendFileSync(claude.transcript(id), half)
    await claude.run({ prompt: 'go on', resume: id })
    await settled(lodeline.client, claude.transcripts, id)

    // The newer release ends the half line first, the older one writes on behind it.
    const text = readFileSync(claude.transcript(id), 'utf8').replace(`${half}\n`, '').replace(half, '')
    writeFileSync(join(lab.root, `${id}.jsonl`), text)
    expect(sorted(await readRecord(lodeline.client, id))).toEqual(sorted(readOracle(lab.root, id)))
    const { session } = await lodeline.client.sessions.get(id)
    expect(session.counts.malformedLines).toBe(1)
  })
}
