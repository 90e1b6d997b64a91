import { afterAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const folder = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let made = 0
/** Writes a project of test files, name → lines after the import, and returns its folder. */
function project(files: Record<string, string>): string {
  const root = join(folder, `p ${made++}`)
  mkdirSync(join(root, 'test'), { recursive: true })
  for (const [name, code] of Object.entries(files)) {
    writeFileSync(join(root, `test/${name}.test.ts`), `import { expect, test } from 'bun:test'\n${code}\nexport {}\n`)
  }
  return root
}

function start(root: string, ...args: string[]) {
  const runner = resolve(import.meta.dir, '../scripts/tests/run-tests.ts')
  return Bun.spawn([process.execPath, runner, '--root', root, '--no-postgres', ...args], {
    cwd: '/',
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

async function run(files: Record<string, string>, ...args: string[]) {
  const runner = start(project(files), ...args)
  const [out, code] = await Promise.all([runner.stdout.text(), runner.exited])
  return { out, code, last: out.trimEnd().split('\n').at(-1) }
}

const PASS = "test('passes', () => {})"

test('ends with the counts alone on the last line, and succeeds when all passed', async () => {
  const { last, code } = await run({ one: PASS, two: `${PASS}\n${PASS}` })
  expect([last, code]).toEqual(['3 passed, 0 failed', 0])
})

test("fails and shows a failing file's output whole", async () => {
  const { out, last, code } = await run({
    good: PASS,
    bad: `test('breaks', () => { console.log('x'.repeat(200_000) + 'END'); console.error('said on stderr'); expect(1).toBe(2) })`,
  })
  expect([last, code]).toEqual(['1 passed, 1 failed', 1])
  expect(out).toContain(`${'x'.repeat(200_000)}END`)
  expect(out).toContain('said on stderr')
  expect(out).toContain('Expected: 2')
})

test('counts a skipped test and a todo as failed', async () => {
  const { last, code } = await run({ one: `${PASS}\ntest.skip('later', () => {})\ntest.todo('some day')` })
  expect([last, code]).toEqual(['1 passed, 2 failed', 1])
})

test('does not let one test hide the others', async () => {
  const { last, code } = await run({ one: `test.only('alone', () => {})\n${PASS}` })
  expect([last, code]).toEqual(['0 passed, 1 failed', 1])
})

test('counts a file as failed that has no test, does not load, or ends early', async () => {
  const { last, code } = await run({
    empty: '',
    broken: "import './nowhere'",
    early: "test('ends the process', () => process.exit(0))",
  })
  expect([last, code]).toEqual(['0 passed, 3 failed', 1])
})

test('fails when nothing ran', async () => {
  expect(await run({})).toMatchObject({ last: '0 passed, 1 failed', code: 1 })
  expect(await run({ one: PASS }, 'no-such-file')).toMatchObject({ last: '0 passed, 1 failed', code: 1 })
})

test('names and ends what a test left running', async () => {
  const { out, last, code } = await run({
    one: `test('leaves one', () => { Bun.spawn(['sleep', '86399'], { stdout: 'ignore', stderr: 'ignore' }).unref() })`,
  })
  expect([last, code]).toEqual(['1 passed, 1 failed', 1])
  expect(out).toContain('left running: sleep 86399')
})

test('ends a file that hangs', async () => {
  const { out, last } = await run({ one: `test('hangs', () => { for (;;) {} })` }, '--file-timeout', '1')
  expect(last).toBe('0 passed, 2 failed')
  expect(out).toContain('was killed')
})

test('ends everything it started when it is interrupted', async () => {
  const mark = join(folder, 'running')
  const root = project({
    one: `test('runs long', async () => {
      require('node:fs').writeFileSync(${JSON.stringify(mark)}, String(process.pid))
      await new Promise((resolve) => setTimeout(resolve, 20_000))
    })`,
    two: PASS,
  })
  const runner = start(root, '--jobs', '1')
  while (!existsSync(mark) || readFileSync(mark, 'utf8') === '') await Bun.sleep(10)
  runner.kill('SIGINT')
  const [out, code] = await Promise.all([runner.stdout.text(), runner.exited])
  expect(out.trimEnd().split('\n').at(-1)).toBe('0 passed, 2 failed')
  expect(code).toBe(1)
  expect(() => process.kill(Number(readFileSync(mark, 'utf8')), 0)).toThrow()
})

test('counts a dashboard that can not be built as failed, and runs the tests all the same', async () => {
  const root = project({ one: PASS })
  mkdirSync(join(root, 'web/src'), { recursive: true })
  writeFileSync(join(root, 'web/index.html'), '')
  const runner = start(root)
  const [out, code] = await Promise.all([runner.stdout.text(), runner.exited])
  expect([out.trimEnd().split('\n').at(-1), code]).toEqual(['1 passed, 1 failed', 1])
  expect(out).toContain('the dashboard could not be built')
})

test('runs a file that failed beside others once more, alone, and says so', async () => {
  const marks = join(folder, 'tries')
  const second = `test('passes at the second try', () => {
    require('node:fs').appendFileSync(${JSON.stringify(marks)}, 'x')
    expect(require('node:fs').readFileSync(${JSON.stringify(marks)}, 'utf8')).toBe('xx')
  })`
  const { out, last, code } = await run({ good: PASS, second })
  expect([last, code]).toEqual(['2 passed, 0 failed', 0])
  expect(out).toContain('Expected: "xx"')
  expect(out).toContain('Failed beside others, passed alone: test/second.test.ts')
})

test('properties draw the same in each run, and others when asked', async () => {
  const drawn = `import fc from ${JSON.stringify(import.meta.resolve('fast-check'))} // 'fast-check'
test('says what it draws', () => { throw new Error('drew ' + fc.sample(fc.nat(), 5).join(' ')) })`
  const values = async (...args: string[]) => /drew ([\d ]+)/.exec((await run({ drawn }, ...args)).out)?.[1]
  const [first, again, other, random] = [
    await values(),
    await values(),
    await values('--seed', '2'),
    await values('--seed', 'random'),
  ]
  expect(first).toBeString()
  expect(again).toBe(first as string)
  expect(other).not.toBe(first)
  expect([first, other]).not.toContain(random)
})
