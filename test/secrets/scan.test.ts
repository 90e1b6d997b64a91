/** That a scan finds what was recorded before the rules were there, goes on where it was, and holds no secret itself. */
import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { zstdCompressSync } from 'bun'
import { sessionId } from '../../src/domain/ids'
import { secretMask } from '../../src/domain/secrets/mask'
import { FileRecorder } from '../../src/engine/record/file-recorder'
import { scanSecrets } from '../../src/engine/secrets/scan'
import { claudeCode } from '../../src/harness/claude-code'
import { HOST, prompt, recorderOn, transcript, uuid, write } from '../record/recording'
import { onEachDatabase } from '../store-contract/databases'
import { SampleSecrets } from './sample-secrets'

const ON = { detect: true, ignore: [] }

onEachDatabase((database) => {
  /** Records a prompt with a secret as a program did that knew no rules. */
  async function recordUnseen(root: string) {
    const { store } = database
    const session = crypto.randomUUID()
    const secret = new SampleSecrets(Math.floor(Math.random() * 2 ** 31)).of('npm-token')
    const id = uuid()
    const ref = transcript(root, session)
    write(ref, prompt(session, 'first') + prompt(session, `use ${secret}`, id))
    const recorder = new FileRecorder({
      store,
      harnessOf: () => claudeCode,
      host: HOST,
      compress: (bytes) => zstdCompressSync(bytes as Uint8Array<ArrayBuffer>),
      projectOf: (cwd) => ({ root: cwd, remote: null, name: 'project' }),
      mask: secretMask({ detect: false, ignore: [] }),
    })
    await recorder.recordFile(ref)
    return { session: sessionId(session), secret, id, ref }
  }
  const found = async (session: string) =>
    (await database.store.secrets.list({ sessionId: sessionId(session) }, { limit: 10 })).rows

  test('a scan finds what was recorded without rules, once, with its event', async () => {
    const root = mkdtempSync('/tmp/ld-')
    try {
      const { session, secret, id } = await recordUnseen(root)
      expect(await found(session)).toEqual([])
      const first = await scanSecrets(database.store, ON)
      expect(first.found).toBeGreaterThanOrEqual(1)
      const [one, ...others] = await found(session)
      expect(others).toEqual([])
      expect(one).toMatchObject({
        rule: 'npm-token',
        preview: secret.slice(0, 4),
        count: 1,
        eventId: id,
        erasedAt: null,
      })
      expect(await scanSecrets(database.store, ON)).toEqual({ journals: 0, bytes: 0, found: 0 })
      expect(await found(session)).toEqual([one as never])
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })

  test('what grows is looked through from where the last scan ended, and all again with other exceptions', async () => {
    const root = mkdtempSync('/tmp/ld-')
    try {
      const { session, ref } = await recordUnseen(root)
      await scanSecrets(database.store, ON)
      const before = await Bun.file(ref.path).text()
      const line = prompt(session, 'more')
      write(ref, before + line)
      await recorderOn(database.store).recordFile(ref)
      expect(await scanSecrets(database.store, ON)).toEqual({ journals: 1, bytes: line.length, found: 0 })
      const again = await scanSecrets(database.store, { detect: true, ignore: ['web-token'] })
      expect(again.bytes).toBeGreaterThanOrEqual(before.length + line.length)
      expect(again.found).toBe(0)
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })

  test('a scan says so where secrets are not looked for', async () => {
    const refused = scanSecrets(database.store, { detect: false, ignore: [] })
    await expect(refused).rejects.toMatchObject({ code: 'conflict', hint: expect.stringContaining('secrets.detect') })
  })
})
