import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EVERY_CLI_VARIABLE } from './cli-variables'

const FILE = `
import { inTurn } from '${join(import.meta.dir, 'in-turn')}'
inTurn([['new', 1], ['old', 2]], '%s', (test, name, number) => {
  test('first', () => console.log('ran first', name, number))
  test.each([['x'], ['y'], ['z']])('case %s', (one) => console.log('ran', one, name, number))
  test('last', async () => console.log('ran last', name, number))
})
`

async function ran(env: Record<string, string>): Promise<string[]> {
  const folder = mkdtempSync('/tmp/ld-')
  try {
    writeFileSync(join(folder, 'a.test.ts'), FILE)
    const child = Bun.spawn([process.execPath, 'test', './a.test.ts'], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', HOME: folder, ...env },
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const said = await child.stdout.text()
    expect(await child.exited).toBe(0)
    return [...said.matchAll(/^ran (.*)$/gm)].map(([, what]) => what ?? '')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

test('each test runs with one release, in turn; cases count one by one', async () => {
  expect(await ran({})).toEqual(['first new 1', 'y new 1', 'last new 1', 'x old 2', 'z old 2'])
})

test('with every release when the test run is told so', async () => {
  const all = await ran({ [EVERY_CLI_VARIABLE]: '1' })
  const each = (name: string) => ['first', 'x', 'y', 'z', 'last'].map((what) => `${what} ${name}`)
  expect(all).toEqual([...each('new 1'), ...each('old 2')])
})
