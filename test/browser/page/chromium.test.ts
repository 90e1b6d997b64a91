import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Chromium, launchChromium } from './chromium'
import type { ChromiumSource } from './chromium-binary'

let chromium: Chromium

beforeAll(async () => {
  chromium = await launchChromium()
})

afterAll(() => chromium.browser.close())

test('a browser is found, starts and runs a page', async () => {
  const page = await chromium.browser.newPage()
  await page.setContent('<h1>found</h1><script>document.title = "ran " + 6 * 7</script>')
  expect(await page.title()).toBe('ran 42')
  expect((await page.screenshot()).subarray(1, 4).toString()).toBe('PNG')
  expect(chromium.binary.version).toMatch(/\d+\.\d+/)
  await page.close()
})

test('the browser speaks to this machine alone', async () => {
  const folder = mkdtempSync('/tmp/ld-chromium-')
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response('<img src=//far.example/pixel>', { headers: { 'content-type': 'text/html' } }),
  })
  try {
    const log = join(folder, 'net.json')
    const { browser } = await launchChromium({}, { args: [`--log-net-log=${log}`] })
    const page = await browser.newPage()
    const failed = page.waitForEvent('requestfailed')
    await page.goto(server.url.href)
    expect((await failed).url()).toBe('http://far.example/pixel')
    // What a browser has to say for itself it says when its first page stands; that it says nothing has no event.
    await Bun.sleep(500)
    await browser.close()
    const { connections, datagrams } = await networkLog(log)
    expect([...new Set(connections)]).toEqual([`127.0.0.1:${server.port}`])
    expect(datagrams).toBe(0)
  } finally {
    server.stop(true)
    rmSync(folder, { recursive: true, force: true })
  }
})

/** What the browser's own log says of its sockets. */
async function networkLog(file: string): Promise<{ connections: string[]; datagrams: number }> {
  const log = (await Bun.file(file).json()) as {
    constants: { logEventTypes: Record<string, number> }
    events: { type: number; params?: { address?: string } }[]
  }
  const of = (name: string) => log.events.filter(({ type }) => type === log.constants.logEventTypes[name])
  return {
    connections: of('TCP_CONNECT_ATTEMPT').flatMap(({ params }) => params?.address ?? []),
    datagrams: of('UDP_BYTES_SENT').length,
  }
}

/** A process that looks for a browser, with nothing but `PATH` in its environment. */
async function find(folder: string, path: string, from: ChromiumSource[]) {
  const code = `import { findChromium } from '${join(import.meta.dir, 'chromium-binary.ts')}'
    const found = await findChromium({ from: ${JSON.stringify(from)}, cache: '${folder}/cache' })
    console.log(found.version)`
  const child = Bun.spawn([process.execPath, '-e', code], {
    env: { PATH: path },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  return { stdout, stderr, exitCode }
}

async function program(folder: string, name: string, script: string): Promise<string> {
  const path = join(folder, name)
  await Bun.write(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
  return path
}

test('where no browser can be had, the run fails and says what each place answered', async () => {
  const folder = mkdtempSync('/tmp/ld-chromium-')
  try {
    const stub = await program(folder, 'chromium', 'echo "install it by snap" >&2; exit 1')
    const stubbed = await find(folder, folder, ['path'])
    expect(stubbed.exitCode).toBe(1)
    expect(stubbed.stderr).toContain('No Chromium can be had')
    expect(stubbed.stderr).toContain(`path: none that starts (${stub})`)
    await program(folder, 'npm', 'echo "npm error network" >&2; exit 1')
    const offline = await find(folder, folder, ['path', 'npm'])
    expect(offline.exitCode).toBe(1)
    expect(offline.stderr).toContain('npm: npm pack @sparticuz/chromium@153.0.0 …: npm error network')
    // Nothing half-made is left for the next run to trip over.
    expect(readdirSync(join(folder, 'cache'))).toEqual(['lock'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('several processes that have none get one once', async () => {
  const folder = mkdtempSync('/tmp/ld-chromium-')
  try {
    // An npm that counts how often it is asked. It puts the browser in place itself: the second look finds it.
    const browser = join(folder, 'cache/npm-153.0.0/chromium')
    const install = `/bin/mkdir -p '${dirname(browser)}'; printf '#!/bin/sh\necho Chromium 1.2.3\n' > '${browser}'; /bin/chmod 755 '${browser}'`
    await program(folder, 'npm', `echo asked >> '${folder}/asked'; /bin/sleep 0.2; ${install}; exit 1`)
    const runs = await Promise.all([1, 2, 3].map(() => find(folder, folder, ['npm', 'npm'])))
    expect(runs).toEqual([1, 2, 3].map(() => ({ stdout: 'Chromium 1.2.3\n', stderr: '', exitCode: 0 })))
    expect(await Bun.file(join(folder, 'asked')).text()).toBe('asked\n')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
