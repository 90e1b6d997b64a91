import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const project = resolve(import.meta.dir, '..')
const folder = mkdtempSync('/tmp/ld-')
/** A small program in the product's layout, in a folder whose name has a space. */
const root = join(folder, 'a b')
const launcher = join(root, 'bin/lode')

beforeAll(() => {
  write('package.json', '{"type":"module"}')
  write(
    'src/cli/main.ts',
    `if (process.argv[2] === 'ask') (await import('../app/ask')).ask()\nelse console.log('quick', process.argv[2] ?? '')`,
  )
  write(
    'src/app/ask.ts',
    `import { isCompiled, threadUrl } from '../util/thread-url'
    export function ask() {
      const worker = new Worker(threadUrl('app/threads/echo-thread'))
      worker.onmessage = (event) => { console.log(isCompiled ? 'compiled' : 'source', event.data); worker.terminate() }
      worker.postMessage('hello')
    }`,
  )
  write(
    'src/app/threads/echo-thread.ts',
    `import { shout } from '../../util/shout'\nself.onmessage = (event) => postMessage(shout(event.data))`,
  )
  write('src/util/shout.ts', 'export const shout = (text: string) => text.toUpperCase()')
  mkdirSync(join(root, 'bin'))
  copyFileSync(join(project, 'src/util/thread-url.ts'), join(root, 'src/util/thread-url.ts'))
  cpSync(join(project, 'bin/lode'), launcher)
  mkdirSync(join(root, 'node_modules/.bin'), { recursive: true })
  symlinkSync(process.execPath, join(root, 'node_modules/.bin/bun'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

function build() {
  const run = Bun.spawnSync([process.execPath, join(project, 'scripts/build.ts'), '--root', root])
  if (!run.success) throw new Error(run.stderr.toString())
}

function lode(args: string[], command = launcher): string {
  const run = Bun.spawnSync([command, ...args], { cwd: '/' })
  return `${run.stdout}${run.stderr}`.trim()
}

test('runs the source while nothing is compiled, threads included', () => {
  expect(lode(['ask'])).toBe('source HELLO')
})

test('runs the executable once it is built, threads included', () => {
  build()
  expect(lode(['ask'])).toBe('compiled HELLO')
})

test('runs through symlinks, absolute and relative, and keeps arguments as they are', () => {
  symlinkSync(launcher, join(folder, 'one'))
  symlinkSync('one', join(folder, 'two'))
  expect(lode(['a "b" $c'], join(folder, 'two'))).toBe('quick a "b" $c')
  expect(lode(['ask'], join(folder, 'two'))).toBe('compiled HELLO')
})

test('runs the source again when a file that went into the executable has changed since', () => {
  const later = new Date(Date.now() + 1000)
  utimesSync(join(root, 'src/util/shout.ts'), later, later)
  expect(lode(['ask'])).toBe('source HELLO')
  const earlier = new Date(Date.now() - 60_000)
  utimesSync(join(root, 'src/util/shout.ts'), earlier, earlier)
  expect(lode(['ask'])).toBe('compiled HELLO')
})

/** As `npm start` asks. */
const isFresh = (): boolean => Bun.spawnSync([launcher], { cwd: '/', env: { LODELINE_IS_FRESH: '1' } }).exitCode === 0
const touch = (path: string, seconds: number): void => {
  const at = new Date(Date.now() + seconds * 1_000)
  utimesSync(join(root, path), at, at)
}

test('a changed page asks for a build, and is no reason to run anything but a server from source', () => {
  write('web/src/page.tsx', 'export const page = 1')
  touch('web/src/page.tsx', -120)
  // What the pages were built into, as `scripts/build-web.ts` leaves it.
  write('dist/dashboard.pack', '')
  touch('dist/dashboard.pack', -60)
  build()
  expect(isFresh()).toBe(true)
  touch('web/src/page.tsx', 1)
  expect([isFresh(), lode(['ask']), lode(['ask', 'up'])]).toEqual([false, 'compiled HELLO', 'compiled HELLO'])
  // Built by itself since: only the source shows it.
  touch('dist/dashboard.pack', 2)
  const words = [['ask'], ['ask', 'up'], ['ask', '--x', 'serve']]
  expect(words.map((each) => lode(each))).toEqual(['compiled HELLO', 'source HELLO', 'source HELLO'])
  rmSync(join(root, 'web'), { recursive: true })
  rmSync(join(root, 'dist/dashboard.pack'))
})

test('a failing build leaves the executable that was there', () => {
  write('src/util/shout.ts', 'export const shout = (')
  expect(build).toThrow('shout.ts')
  expect(lode(['quick'], join(root, 'dist/lode'))).toBe('quick quick')
})
