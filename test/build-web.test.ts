import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { buildDashboard, packPath } from '../scripts/build-web'
import { readPack } from '../src/app/server/dashboard-pack'

let root: string
beforeEach(() => {
  root = mkdtempSync('/tmp/ld-')
  write('web/index.html', '<link href="/assets/app.css"><script src="/assets/main.js"></script>')
  write('web/icon.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>')
  for (const name of ['icon-192', 'icon-512', 'icon-maskable', 'apple-touch-icon']) write(`web/${name}.png`, '')
  write('web/app.webmanifest', '{}')
  write('web/src/service-worker.ts', 'export {}')
  write('web/src/code-worker.ts', 'export {}')
  write('web/src/app.css', 'p { color: red }')
  write('web/src/main.tsx', "import { name } from './name'\nconsole.log(name)")
  write('web/src/name.ts', "export const name: string = 'first'")
  write('web/src/name.test.ts', '')
  write('src/domain/x.ts', '')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(path: string, text: string, secondsAgo = 60): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
  const at = new Date(Date.now() - secondsAgo * 1_000)
  utimesSync(join(root, path), at, at)
}

/** The script that the page names. */
function script(): string {
  const files = readPack(readFileSync(packPath(root)))
  const text = (path: string) => new TextDecoder().decode(files?.get(path)?.bytes(null))
  return text(/assets\/main-\w+\.js/.exec(text('index.html'))?.[0] ?? '')
}

test('builds pages once, and again when a source is newer', async () => {
  expect(await buildDashboard(root)).toBeGreaterThan(100)
  expect(script()).toContain('first')
  expect(await buildDashboard(root)).toBe(null)
  write('web/src/name.ts', "export const name: string = 'second'", -1)
  expect(await buildDashboard(root)).toBeGreaterThan(100)
  expect(script()).toContain('second')
})

test('what the pages take from src counts, their tests do not', async () => {
  await buildDashboard(root)
  write('web/src/name.test.ts', 'x', -1)
  expect(await buildDashboard(root)).toBe(null)
  write('src/domain/x.ts', 'export {}', -1)
  expect(await buildDashboard(root)).not.toBe(null)
})

test('pages that can not be built leave those that were there, and nothing half-made', async () => {
  await buildDashboard(root)
  const before = readFileSync(packPath(root))
  write('web/src/main.tsx', "import './nowhere'", -1)
  await expect(buildDashboard(root)).rejects.toThrow()
  expect(readFileSync(packPath(root)).equals(before)).toBe(true)
  expect(readdirSync(join(root, 'dist'))).toEqual(['dashboard.pack'])
})

test('says on the command line which file is wrong', () => {
  write('web/src/main.tsx', "import './nowhere'")
  const run = Bun.spawnSync([process.execPath, join(import.meta.dir, '../scripts/build-web.ts'), '--root', root])
  expect(run.exitCode).toBe(1)
  expect(run.stderr.toString()).toMatch(/web\/src\/main\.tsx:1: .*\.\/nowhere/)
})

test('where there is no dashboard there is nothing to build', async () => {
  rmSync(join(root, 'web'), { recursive: true })
  expect(await buildDashboard(root)).toBe(null)
})

test('builds at once leave one whole pack', async () => {
  const script = join(import.meta.dir, '../scripts/build-web.ts')
  const runs = [1, 2, 3].map(() => Bun.spawn([process.execPath, script, '--root', root], { stderr: 'pipe' }))
  expect(await Promise.all(runs.map((run) => run.exited))).toEqual([0, 0, 0])
  expect(readdirSync(join(root, 'dist'))).toEqual(['dashboard.pack'])
  expect(readPack(readFileSync(packPath(root)))?.has('index.html')).toBe(true)
})
