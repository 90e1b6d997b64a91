/** The dashboard as an app that reports what needs a person while no page is open. */
import { beforeAll, expect, test } from 'bun:test'
import { until } from '../../lab/until'
import { browserOfTests, shot, withDashboard } from '../page/page'
import { axeCheck } from '../page/page-axe'

beforeAll(async () => void (await browserOfTests(true)))

interface Shown {
  title: string
  body: string
  tag: string
  actions: { action: string; title: string }[]
}

test('the page can be installed, its worker alone shows what is pushed and that the server is away, and budgets fit a phone', async () => {
  await withDashboard(
    { path: '/', size: 'phone', isWhole: true, hasWorker: true },
    async ({ page, context, server, problems }) => {
      // Another file as a worker is refused below. A private window has no push service.
      problems.allow(/TrustedScriptURL/, /Push API in incognito/)
      await context.grantPermissions(['notifications'], { origin: server.url })
      const devtools = await context.newCDPSession(page)
      const manifest = await devtools.send('Page.getAppManifest')
      expect(manifest.errors).toEqual([])
      expect(JSON.parse(manifest.data ?? '{}')).toMatchObject({ name: 'Lodeline', display: 'standalone' })
      // A context of a test is a private window, where no browser installs anything: that alone is in the way.
      const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
      expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])

      // Once it is installed it has its worker, also where nobody is notified.
      await page.evaluate("dispatchEvent(new Event('appinstalled'))")
      await page.evaluate('navigator.serviceWorker.ready.then(() => true)')

      // Its policy lets this one file become a worker, and no other.
      const other = await page.evaluate(
        "navigator.serviceWorker.register('/assets/x.js').then(() => 'registered', (error) => error.name)",
      )
      expect(other).toBe('TypeError')
      await page.getByRole('button', { name: 'Notify me' }).click()
      await page.getByRole('button', { name: 'Notifications on' }).waitFor()
      await page.evaluate('navigator.serviceWorker.ready.then(() => true)')

      const registrations: { registrationId: string; scopeURL: string }[] = []
      devtools.on('ServiceWorker.workerRegistrationUpdated', (told) => registrations.push(...told.registrations))
      await devtools.send('ServiceWorker.enable')
      await until('the worker is there', () => registrations.length > 0)
      const [{ registrationId, scopeURL } = { registrationId: '', scopeURL: '' }] = registrations
      expect(scopeURL).toBe(`${server.url}/`)
      const push = {
        title: 'Deploy <b>it</b>',
        text: 'Bash: make deploy',
        path: '/?need=q',
        tag: 'n-1',
        needs: 2,
        actions: ['allow', 'deny'],
        answerSecret: 'n-1.wrong',
      }
      await devtools.send('ServiceWorker.deliverPushMessage', {
        origin: server.url,
        registrationId,
        data: JSON.stringify(push),
      })
      const shown = async () =>
        (await page.evaluate(`navigator.serviceWorker.ready
        .then((found) => found.getNotifications())
        .then((all) => all.map(({ title, body, tag, actions }) => ({ title, body, tag, actions })))`)) as Shown[]
      await until('the notification is shown', async () => (await shown()).length > 0)
      expect(await shown()).toMatchObject([
        {
          title: 'Deploy <b>it</b>',
          body: 'Bash: make deploy',
          tag: 'n-1',
          actions: [
            { action: 'allow', title: 'Allow' },
            { action: 'deny', title: 'Deny' },
          ],
        },
      ])

      // On the same phone a budget is added, told of, and removed.
      await page.goto(`${server.url}/costs`)
      await page.getByRole('button', { name: 'Add a budget' }).click()
      await page.getByLabel('Name').fill('daily')
      await page.getByLabel('Limit').fill('20')
      await page.getByRole('button', { name: 'Add', exact: true }).click()
      const budgets = page.getByRole('region', { name: 'Budgets' })
      await budgets.getByText('$0.00 of $20.00 today').waitFor()
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      await budgets.getByRole('button', { name: 'Remove' }).click()
      await until('it is gone', async () => (await budgets.getByText('daily').count()) === 0)

      // Without its server it says just that, and comes back by itself where it was asked to go.
      problems.allow(/503|ERR_CONNECTION_REFUSED|ERR_FAILED/)
      await server.stop()
      await page.goto(`${server.url}/tasks?q=rope`)
      await page.getByText(`Nothing answers at ${new URL(server.url).host}`).waitFor()
      expect(await axeCheck(page)).toEqual([])
      await shot(page, 'home/away')
      await server.up()
      await page.getByRole('searchbox', { name: 'Search text or title' }).waitFor()
      expect(new URL(page.url()).search).toBe('?q=rope')
    },
  )
})
