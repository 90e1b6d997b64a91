/** That an erased secret is nowhere any more: not in the database, not in any file of Lodeline's folder, and that it does not come back. */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { SQL } from 'bun'
import { handoffFiles } from '../../src/app/hooks/handoff-files'
import { createRecordEngine } from '../../src/app/threads/record-engine'
import type { JournalRef } from '../../src/domain/harness/harness'
import { sessionId } from '../../src/domain/ids'
import { DEFAULT_SECRETS, maskOf, type SecretSettings, secretIdOf } from '../../src/domain/secrets/mask'
import type { SecretRuleName } from '../../src/domain/secrets/rules'
import { actorOf } from '../../src/engine/audit/record-act'
import { createMessageService } from '../../src/engine/messages/message-service'
import { encodeHookLine } from '../../src/util/hook-journal'
import { bytesOf, HOST, prompt, transcript, uuid, write } from '../record/recording'
import { type ContractDatabase, onEachDatabase } from '../store-contract/databases'
import { Crew, OPERATOR } from '../tasks/crew'
import { SampleSecrets } from './sample-secrets'

let root: string
beforeEach(() => {
  root = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const OFF: SecretSettings = { detect: false, ignore: [] }
const freshSecret = (rule: SecretRuleName): string => new SampleSecrets(Math.floor(Math.random() * 2 ** 31)).of(rule)

function openWorld(database: ContractDatabase, secrets: SecretSettings = DEFAULT_SECRETS) {
  const { store } = database
  const home = join(root, 'home')
  mkdirSync(join(home, 'hooks'), { recursive: true })
  const engine = createRecordEngine(store, HOST, home, { secrets })
  const hooks: JournalRef = {
    agent: 'claude-code',
    kind: 'hooks',
    path: join(home, 'hooks', 'hooks.jsonl'),
    sessionId: null,
    subagentId: null,
  }
  return { store, home, engine, hooks, crew: new Crew(store), messages: createMessageService({ store }) }
}

const hookLine = (session: string, text: string): Buffer =>
  Buffer.from(
    encodeHookLine(
      { at: 1_795_170_332_000, pid: 1, ppid: 1, env: {}, isCut: false },
      Buffer.from(JSON.stringify({ session_id: session, hook_event_name: 'UserPromptSubmit', prompt: text })),
    ),
  )

/** Files below a folder that hold the text. */
const filesWith = (folder: string, text: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .filter((name) => readFileSync(join(folder, name)).includes(text))

/** Tables with a row that holds the text, and journals whose bytes do. */
async function placesWith({ place, store }: ContractDatabase, text: string): Promise<string[]> {
  const sql = new SQL(place.url ?? `sqlite://${place.path}`, place.url === undefined ? {} : { max: 1 })
  try {
    const names: { name: string }[] = await sql.unsafe(
      place.url === undefined
        ? `select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'event_text%'`
        : `select table_name as name from information_schema.tables where table_schema = 'public'`,
    )
    const found: string[] = []
    for (const { name } of names) {
      const rows: Record<string, unknown>[] = await sql.unsafe(`select * from ${name}`)
      if (rows.some((row) => JSON.stringify(row).includes(text))) found.push(name)
    }
    for await (const { journal } of store.journals.listAll())
      for (const { id } of journal.incarnations) if ((await bytesOf(store, id)).includes(text)) found.push(journal.path)
    return found
  } finally {
    await sql.close()
  }
}

onEachDatabase((database) => {
  test('an erased secret is nowhere in the database and in the folder, and lines stay JSON of the same length', async () => {
    const world = openWorld(database)
    const { store, engine, home, hooks } = world
    const secret = freshSecret('github-token')
    const other = freshSecret('npm-token')
    const id = crypto.randomUUID()
    const ref = transcript(root, id)
    const text = prompt(id, `a ${secret} b`) + prompt(id, `c ${other}`) + prompt(id, `${secret}\n${secret}`)
    write(ref, text)
    await engine.recordFile(ref)
    writeFileSync(hooks.path, Buffer.concat([hookLine(id, `with ${secret}`), hookLine(id, 'kept')]))
    await engine.recordFile(hooks)
    const { task } = await world.crew
      .create({ task: `do ${secret}`, title: `title ${secret}`, tags: [] })
      .then((made) => ({ task: made }))
    await world.messages.send(OPERATOR, { to: id, kind: 'message', text: `say ${secret}` } as never, 'key-1')
    const said = { goal: secret, state: '', evidence: '', next: '', note: null }
    handoffFiles(home).write({
      at: new Date().toISOString(),
      sessionId: sessionId(id),
      folder: '/p',
      issueId: null,
      ...said,
    } as never)
    const before = await placesWith(database, secret)
    for (const place of ['tasks', 'messages', ref.path, hooks.path]) expect(before).toContain(place)
    expect(filesWith(home, secret).length).toBe(2)

    const key = secretIdOf('github-token', Buffer.from(secret))
    const erased = await engine.eraseSecret(key, actorOf(OPERATOR))
    expect(erased).toMatchObject({ id: key, rule: 'github-token', places: 4, files: 2, agentFiles: [ref.path] })
    expect(await placesWith(database, secret)).toEqual([])
    expect(filesWith(home, secret)).toEqual([])
    if (database.place.path !== undefined) expect(filesWith(dirname(database.place.path), secret)).toEqual([])

    const [journal] = await store.journals.listBySession(sessionId(id))
    const kept = (await bytesOf(store, journal?.incarnations[0]?.id ?? 0)).toString()
    expect(kept.length).toBe(text.length)
    expect(
      kept
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).message.content),
    ).toEqual([
      `a [secret erased]${'*'.repeat(secret.length - 15)} b`,
      `c ${other}`,
      `[secret erased]${'*'.repeat(secret.length - 15)}\n[secret erased]${'*'.repeat(secret.length - 15)}`,
    ])
    expect((await world.crew.task(task.id)).task).toBe(`do ${maskOf('github-token')}`)
    expect(readFileSync(hooks.path, 'utf8')).toContain('kept')
    const act = (await store.audit.list({ act: 'secret.erase' }, { limit: 1 })).rows[0]
    expect(act).toMatchObject({ target: key, actor: { kind: 'operator' }, detail: { rule: 'github-token', places: 4 } })
    const found = (await store.secrets.list({ id: key }, { limit: 10 })).rows
    expect(found.every(({ erasedAt, preview }) => erasedAt !== null && preview === '')).toBe(true)
  })

  test('an erased secret does not come back: not when its file grows, is copied, or is recorded anew, nor by a rebuild', async () => {
    const { store, engine, home, hooks } = openWorld(database)
    const secret = freshSecret('anthropic-key')
    const id = crypto.randomUUID()
    const ref = transcript(root, id)
    write(ref, prompt(id, `first ${secret}`))
    writeFileSync(hooks.path, hookLine(id, `with ${secret}`))
    await engine.recordFile(ref)
    await engine.recordFile(hooks)
    await engine.eraseSecret(secretIdOf('anthropic-key', Buffer.from(secret)), actorOf(OPERATOR))

    // It goes on, and says it once more; the half of a line comes before the rest of it.
    const next = prompt(id, `again ${secret} end`)
    const cut = next.indexOf(secret) + 50
    appendFileSync(ref.path, next.slice(0, cut))
    expect((await engine.recordFile(ref)).state).toBe('grown')
    appendFileSync(ref.path, next.slice(cut))
    expect((await engine.recordFile(ref)).state).toBe('grown')
    expect(await placesWith(database, secret)).toEqual([])
    expect(await placesWith(database, secret.slice(0, 40))).toEqual([])
    // A copy in the file's place, with another inode, is the same file still.
    const bytes = readFileSync(ref.path)
    copyFileSync(ref.path, `${ref.path}.copy`)
    renameSync(`${ref.path}.copy`, ref.path)
    expect(await engine.recordFile(ref)).toMatchObject({ state: 'grown', bytesAdded: 0 })
    appendFileSync(hooks.path, hookLine(id, 'later'))
    expect((await engine.recordFile(hooks)).state).toBe('grown')
    const [journal] = await store.journals.listBySession(sessionId(id))
    expect(journal?.incarnations.length).toBe(1)
    // Under another name, by another process, and from its journals.
    const copy = transcript(join(root, 'elsewhere'), id)
    write(copy, bytes)
    await createRecordEngine(store, HOST, home).recordFile(copy)
    expect(await placesWith(database, secret)).toEqual([])
    await engine.rebuild()
    expect(await placesWith(database, secret)).toEqual([])
    const { rows } = await store.events.list({ sessionId: sessionId(id) }, { limit: 10 })
    expect(rows.map(({ text }) => text).filter((text) => text?.includes('[secret erased]')).length).toBeGreaterThan(1)
  })

  test('what was recorded without a look for secrets is erased too, and its words leave the search', async () => {
    const secret = freshSecret('npm-token')
    const id = crypto.randomUUID()
    const ref = transcript(root, id)
    write(ref, prompt(id, `deploy ${secret}`))
    await openWorld(database, OFF).engine.recordFile(ref)
    expect(await placesWith(database, secret)).toContain('conversation_events')
    const word = secret.slice(4)
    const hits = async (q: string) =>
      (await database.store.events.search(q, { limit: 5, sessionId: sessionId(id) })).hits.length
    expect(await hits(word)).toBe(1)
    const { engine } = openWorld(database)
    await engine.scanSecrets()
    await engine.eraseSecret(secretIdOf('npm-token', Buffer.from(secret)), actorOf(OPERATOR))
    expect(await placesWith(database, secret)).toEqual([])
    expect(await hits(word)).toBe(0)
    expect(await hits('deploy')).toBe(1)
    if (database.place.path !== undefined) expect(filesWith(dirname(database.place.path), word)).toEqual([])
  })

  test('a private key is erased in both spellings, with and without escapes', async () => {
    const { engine, crew } = openWorld(database)
    const secret = freshSecret('private-key')
    const id = crypto.randomUUID()
    const ref = transcript(root, id)
    write(ref, prompt(id, `key:\n${secret}\n`))
    await engine.recordFile(ref)
    const task = await crew.create({ task: `use\n${secret}`, title: 't' })
    const [found] = (await database.store.secrets.list({ sessionId: sessionId(id) }, { limit: 5 })).rows
    await engine.eraseSecret(found?.id ?? '', actorOf(OPERATOR))
    const line = secret.split('\n')[3] as string
    expect(await placesWith(database, line)).toEqual([])
    expect((await crew.task(task.id)).task).toBe(`use\n${maskOf('private-key')}`)
  })

  test('the password of a URL is erased where it is one, and as a word it stays; no character of it is listed', async () => {
    const { store, engine, home, hooks, crew } = openWorld(database)
    // A short word, such as a person chooses: fields and events of lines have the same name.
    const [password, id] = ['role', crypto.randomUUID()]
    const url = `postgres://${'app'}:${password}@db.internal/app`
    const ref = transcript(root, id)
    const text = prompt(id, `the ${password} has ${url}`)
    write(ref, text)
    writeFileSync(hooks.path, hookLine(id, `${password} ${url}`))
    await engine.recordFile(ref)
    await engine.recordFile(hooks)
    const task = await crew.create({ task: `what is a ${password} of ${url}?`, title: 't' })
    const [found] = (await store.secrets.list({ sessionId: sessionId(id) }, { limit: 5 })).rows
    expect(found).toMatchObject({ rule: 'url-password', preview: '' })
    const erased = await engine.eraseSecret(found?.id ?? '', actorOf(OPERATOR))
    expect(erased).toMatchObject({ places: 2, rows: 1, files: 1 })
    expect(await placesWith(database, url)).toEqual([])
    expect(filesWith(home, url)).toEqual([])
    expect((await crew.task(task.id)).task).toBe(
      `what is a role of postgres://app:[secret: url-password]@db.internal/app?`,
    )
    const [journal] = await store.journals.listBySession(sessionId(id))
    const kept = (await bytesOf(store, journal?.incarnations[0]?.id ?? 0)).toString()
    expect(kept).toBe(text.replace(`:${password}@`, ':[sec@'))
    expect(readFileSync(hooks.path, 'utf8')).toContain('role postgres://app:[sec@db.internal/app')
    // The file's bytes are those of its journal still.
    appendFileSync(hooks.path, hookLine(id, 'later'))
    expect((await engine.recordFile(hooks)).state).toBe('grown')
  })

  test('an ID that is unknown is refused, and an erased secret may be erased again', async () => {
    const { engine } = openWorld(database)
    await expect(engine.eraseSecret('0000000000000000', actorOf(OPERATOR))).rejects.toMatchObject({ code: 'not_found' })
    const secret = freshSecret('npm-token')
    const id = crypto.randomUUID()
    const ref = transcript(root, id)
    write(ref, prompt(id, secret, uuid()))
    await engine.recordFile(ref)
    const key = secretIdOf('npm-token', Buffer.from(secret))
    await engine.eraseSecret(key, actorOf(OPERATOR))
    expect(await engine.eraseSecret(key, actorOf(OPERATOR))).toMatchObject({ rows: 0, files: 0 })
  })
})
