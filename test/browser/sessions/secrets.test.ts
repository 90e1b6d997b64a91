/** A conversation with a key in it: the page shows a mask, and the key to a person who asks for it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { SessionId } from '../../../src/domain/ids'
import { maskOf } from '../../../src/domain/secrets/mask'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { SampleSecrets } from '../../secrets/sample-secrets'
import { browserOfTests, PAGES, shot, withDashboard } from '../page/page'
import { axeCheck } from '../page/page-axe'
import { importConversations } from '../page/page-transcripts'

const samples = new SampleSecrets(42)
const [SAID, PRINTED] = [samples.of('github-token'), samples.of('npm-token')]
const lab = new Lab()
let server: Lode
let session: SessionId

beforeAll(async () => {
  await browserOfTests()
  server = lab.addLode('l', PAGES)
  await server.up()
  const [id] = await importConversations(server, join(lab.root, 'claude'), [
    {
      cwd: '/home/user/boat',
      title: 'Deploy the boat',
      startedAt: Date.UTC(2026, 0, 5, 9),
      lines: (write) => [
        write.prompt(`Deploy with ${SAID}, please.`),
        ...write.call('Bash', { command: 'cat .npmrc', description: 'Read the settings' }, `token=${PRINTED}\nok`),
        write.say('It is deployed.'),
      ],
    },
  ])
  session = id as SessionId
})
afterAll(() => lab.stop())

test('a conversation shows masks, and the secrets of one line to a person who asks', async () => {
  await withDashboard({ server }, async ({ page, client }) => {
    await page.goto(`${server.url}/sessions/${session}`)
    await page
      .getByText(`Deploy with ${maskOf('github-token')}, please.`)
      .first()
      .waitFor()
    await page
      .getByText(`token=${maskOf('npm-token')}`)
      .first()
      .waitFor()
    for (const secret of [SAID, PRINTED]) expect(await page.content()).not.toContain(secret)
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'session/secrets-masked')
    await page.getByRole('button', { name: 'Show secrets' }).first().click()
    await page.getByText(SAID).first().waitFor()
    expect(await page.content()).not.toContain(PRINTED)
    await shot(page, 'session/secrets-shown')
    const { lines } = await client.audit.list({ act: 'secret.reveal' })
    expect(lines).toMatchObject([{ actor: { kind: 'operator' }, detail: { session } }])
    await page.getByRole('button', { name: 'Hide secrets' }).click()
    await page.getByRole('button', { name: 'Hide secrets' }).waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(SAID)
    // Asking again asks the server again.
    await page.getByRole('button', { name: 'Show secrets' }).first().click()
    await page.getByText(SAID).first().waitFor()
    expect((await client.audit.list({ act: 'secret.reveal' })).lines.length).toBe(2)
  })
})
