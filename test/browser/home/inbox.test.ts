/** Home as an inbox: dangerous calls ask twice, equal calls are answered together, rules are shown before they are written, needs wait until a time. */
import { beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Question } from '../../../src/domain/task/task'
import { until } from '../../lab/until'
import { browserOfTests, shot, withDashboard } from '../page/page'
import { axeCheck } from '../page/page-axe'
import { importConversations } from '../page/page-transcripts'
import { keysAwake } from '../page/page-wait'
import type { TranscriptLines } from '../world/world-lines'
import { Asker } from '../world/world-questions'

beforeAll(async () => {
  await browserOfTests()
})

const rows = (page: Page) => page.getByTestId('need-row')
const secondKey = (page: Page) => page.getByTestId('second-key')
const press = async (page: Page, key: string) => {
  await keysAwake(page)
  await page.keyboard.press(key)
}

test('one key never lets a dangerous call through; equal calls are answered together; imported history needs nobody', async () => {
  await withDashboard({}, async ({ page, client, server, home }) => {
    const asker = await Asker.join(server)
    const lines = (write: TranscriptLines) => [
      write.prompt('Look around'),
      ...write.call('Bash', { command: 'sleep 900' }, 'x').slice(0, 1),
    ]
    const startedAt = Date.now() - 5 * 3_600_000
    await importConversations(server, home, [{ cwd: home, title: 'Long ago', startedAt, lines }])
    const [push] = await asker.ask('Release', ['git push --force origin main && npm publish'])
    const equal: Question[] = []
    for (const ship of [1, 2, 3]) equal.push(...(await asker.ask(`Load ship ${ship}`, ['npm test'])))
    const standing = () => asker.standing([...(push === undefined ? [] : [push]), ...equal].map(({ taskId }) => taskId))
    await page.getByTestId('need-group').waitFor()
    expect(await rows(page).count()).toBe(1)

    // The danger is said in the row, and with why in its details.
    await page.keyboard.press('Home')
    await rows(page).first().focus()
    expect(await rows(page).first().getByTestId('danger-mark').textContent()).toBe('destroys')
    for (let times = 0; times < 3; times++) await press(page, 'a')
    await secondKey(page).getByText('overwrites history of another repository').waitFor()
    await secondKey(page).getByText('publishes a package').waitFor()
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'inbox/second-key')
    expect(await page.locator('[data-held]').count()).toBe(0)
    await press(page, 'n')
    await secondKey(page).waitFor({ state: 'detached' })
    // Going to another row leaves this one.
    await press(page, 'a')
    await press(page, 'j')
    await secondKey(page).waitFor({ state: 'detached' })
    await press(page, 'k')
    await press(page, 'a')
    await press(page, 'y')
    await page.locator('[data-held=waiting]').waitFor()
    await press(page, 'z')
    expect(await standing()).toEqual(['open', 'open', 'open', 'open'])

    // Equal calls: the list of them is shown, and one decision is for all. One undo takes all of it back.
    await press(page, 'j')
    const group = page.getByTestId('need-group')
    expect(await group.getByTestId('need-peek').textContent()).toContain('Load ship 3')
    await press(page, 'a')
    await secondKey(page).getByText('Allow 3 calls?').waitFor()
    expect(await secondKey(page).getByRole('listitem').count()).toBe(3)
    await shot(page, 'inbox/together')
    await press(page, 'y')
    await page.getByTestId('held-bar').waitFor()
    await press(page, 'z')
    await page.getByTestId('held-bar').getByText('Nothing was sent').waitFor()
    expect(await standing()).toEqual(['open', 'open', 'open', 'open'])
    await press(page, 'a')
    await press(page, 'y')
    await until('the answers', async () => (await standing()).join() === 'open,allow,allow,allow')
    await group.waitFor({ state: 'detached' })
    // The same number in every place.
    const { needs } = await client.overview()
    expect(needs.map(({ kind }) => kind)).toEqual(['question'])
    await page.getByTestId('count-needs').getByText('1', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Home 1 need you' }).waitFor()
    expect((await client.status()).needsYou).toMatchObject({ questions: 1, lost: 0 })
  })
})

test('a rule is shown word for word before it is written, and none is written for a run on another machine', async () => {
  await withDashboard({}, async ({ page, client, server, home, problems }) => {
    problems.allow(/^refused: POST \S+\/always-allow 409$/, /^console error: .* 409 .*\/always-allow$/)
    const asker = await Asker.join(server)
    const [asked] = await asker.ask('Test it', ['npm test -- --once'])
    await rows(page).first().focus()
    await press(page, 'A')
    await secondKey(page).getByText('Bash(npm test -- --once)').waitFor()
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'inbox/always')
    await press(page, '1')
    // The run is on another machine, whose settings are not for this server to write.
    await rows(page).getByText('is on harbour').waitFor()
    expect((await client.questions.list({ status: 'open' })).questions.map(({ id }) => id)).toEqual(
      asked === undefined ? [] : [asked.id],
    )
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).not.toContain('npm test')
  })
})

test('needs are selected, put off until a time, woken and dismissed by keys, several at once', async () => {
  await withDashboard({}, async ({ page, client, server }) => {
    const asker = await Asker.join(server)
    for (const title of ['Moor the ship', 'Weigh the anchor', 'Ring the bell'])
      await asker.fail(title, `${title}: the rope broke`)
    await rows(page).nth(2).waitFor()
    await rows(page).first().focus()
    await press(page, 'Space')
    await press(page, 'j')
    await press(page, 'Space')
    expect(await page.locator('[data-selected]').count()).toBe(2)
    await press(page, 's')
    await secondKey(page).getByText('Snooze 2 needs until when?').waitFor()
    await shot(page, 'inbox/snooze')
    await press(page, '1')
    await until('the snooze', async () => (await client.overview()).counts.snoozed === 2)
    await until('the count', async () => (await page.getByTestId('count-needs').textContent()) === '1')
    // They stay in the list, with when they wake.
    expect(await rows(page).count()).toBe(3)
    expect(await rows(page).nth(2).textContent()).toContain('wakes')
    expect((await client.status()).needsYou).toMatchObject({ failures: 1 })
    await page.keyboard.press('End')
    await press(page, 's')
    await until('it to wake', async () => (await client.overview()).counts.snoozed === 1)
    await page.reload()
    await rows(page).nth(2).waitFor()
    await rows(page).first().focus()
    await press(page, 'J')
    await press(page, 'J')
    expect(await page.locator('[data-selected]').count()).toBe(2)
    await press(page, 'x')
    await press(page, 'y')
    await until('the dismissals', async () => (await client.overview()).needs.length === 0)
    // What went on is listed by repository, the same as the command does.
    await page.getByRole('link', { name: /^Since you left/ }).click()
    await page.getByTestId('digest-total').waitFor()
    expect(await axeCheck(page)).toEqual([])
    const digest = await server.json<{ total: { failed: number } }>('digest')
    expect(digest.total.failed).toBe(3)
    expect(await page.getByTestId('digest-total').textContent()).toContain('3 failed')
  })
})

test('a group says how many needs there are beyond those that are loaded, and one decision is for all of them', async () => {
  await withDashboard({}, async ({ page, client, server }) => {
    const asker = await Asker.join(server)
    for (let n = 1; n <= 52; n++) await asker.fail(`Moor ship ${n}`, 'the rope broke')
    await page.reload()
    const group = page.getByTestId('need-group')
    await group.getByText('52 failed alike: the rope broke').first().waitFor()
    expect(await page.getByRole('button', { name: /^Show \d+ more$/ }).count()).toBe(0)
    await group.focus()
    await group
      .getByRole('list', { name: 'The needs of this group' })
      .getByText('Moor ship 1', { exact: true })
      .waitFor()
    await press(page, 'x')
    await secondKey(page).getByText('Dismiss 52 needs?').waitFor()
    await press(page, 'y')
    await until('the dismissals', async () => (await client.overview()).needs.length === 0)
  })
})

test('one decision is for all needs of a group of more than one answer holds, and what is not sent yet can be undone', async () => {
  await withDashboard({}, async ({ page, client, server }) => {
    const asker = await Asker.join(server)
    for (let n = 1; n <= 20; n++)
      await Promise.all(Array.from({ length: 21 }, (_, of) => asker.fail(`Moor ship ${n}.${of}`, 'the rope broke')))
    await page.reload()
    const group = page.getByTestId('need-group')
    await group.getByText('420 failed alike: the rope broke').first().waitFor()
    await group.focus()
    await until('all of them', async () => (await group.getByRole('listitem').count()) === 420)
    await press(page, 'x')
    await secondKey(page).getByText('Dismiss 420 needs?').waitFor()
    await shot(page, 'inbox/many')
    await press(page, 'y')
    const bar = page.getByTestId('held-bar')
    await bar.getByText(/420 together/).waitFor()
    await bar.getByText(/ of 420 sent/).waitFor()
    await shot(page, 'inbox/many-sent')
    // What waits for its turn is undone.
    await press(page, 'z')
    await bar.getByText(/^Undone: \d+ of 420\. \d+ had been sent\.$/).waitFor()
    await group
      .getByText(/^\d+ failed alike/)
      .first()
      .waitFor()
    const left = Object.values((await client.overview()).counts.needs).reduce((sum, count) => sum + count, 0)
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(420)
    await group.getByText(`${left} failed alike`).first().waitFor()
    await group.focus()
    await until('the rest', async () => (await group.getByRole('listitem').count()) === left)
    await press(page, 'x')
    await secondKey(page).getByText(`Dismiss ${left} needs?`).waitFor()
    await press(page, 'y')
    await until('the dismissals', async () => (await client.overview()).needs.length === 0)
  })
})
