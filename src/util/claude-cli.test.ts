import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CLAUDE_CLI_VERSIONS, claudeCli } from './claude-cli'

const folder = mkdtempSync('/tmp/ld-')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Lays out an installation: path below node_modules → what the program prints, or its exit code. */
function install(name: string, programs: Record<string, string | number>): string {
  const root = join(folder, name)
  for (const [path, behaviour] of Object.entries(programs)) {
    const file = join(root, 'node_modules', path)
    mkdirSync(dirname(file), { recursive: true })
    const act = typeof behaviour === 'number' ? `echo placeholder >&2; exit ${behaviour}` : `echo '${behaviour}'`
    writeFileSync(file, `#!/bin/sh\n${act}\n`)
    chmodSync(file, 0o755)
  }
  return root
}

const platform = `@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`

test('finds the pinned releases of the real CLI', () => {
  for (const version of CLAUDE_CLI_VERSIONS) {
    const run = Bun.spawnSync([claudeCli(version), '--version'], {
      env: { HOME: folder, PATH: process.env.PATH ?? '' },
    })
    expect(run.stdout.toString()).toStartWith(version)
  }
})

test('finds the platform package when install scripts were off', () => {
  const root = install('no scripts', {
    'claude-code-2.1.328/bin/claude.exe': 1,
    'claude-code-2.1.197/bin/claude.exe': 1,
    [`claude-code-2.1.328/node_modules/${platform}`]: '2.1.328 (Claude Code)',
    [platform]: '2.1.197 (Claude Code)',
  })
  expect(claudeCli('2.1.328', root)).toBe(join(root, 'node_modules/claude-code-2.1.328/node_modules', platform))
  expect(claudeCli('2.1.197', root)).toBe(join(root, 'node_modules', platform))
})

test('never takes another release than the one asked for', () => {
  const root = install('other', { 'claude-code-2.1.328/bin/claude.exe': 1, [platform]: '2.1.197 (Claude Code)' })
  expect(() => claudeCli('2.1.328', root)).toThrow('is 2.1.197 (Claude Code)')
})

test('says what to type when nothing is installed', () => {
  expect(() => claudeCli('2.1.328', join(folder, 'empty'))).toThrow('Run npm ci')
})
