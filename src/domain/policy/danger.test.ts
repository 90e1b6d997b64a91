import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { dangersOf } from './danger'
import { DANGER_RULES } from './danger-rules'
import { shellCommands } from './shell-words'

const kinds = (command: string) => dangersOf('Bash', { command }, false).map(({ kind }) => kind)
const worst = (command: string) => kinds(command)[0] ?? 'none'

describe('dangerous tool calls', () => {
  test('are marked by what they do, wherever the command stands', () => {
    for (const [command, kind] of [
      ['git push --force origin main && npm publish', 'destroys'],
      ['git push', 'pushes'],
      ['cd web && git -C "$(pwd)" push origin main', 'pushes'],
      ['GIT_SSH=x /usr/bin/git push', 'pushes'],
      ["bash -lc 'git push'", 'pushes'],
      ['if true; then git push; fi', 'pushes'],
      ['echo "$(git push)"', 'pushes'],
      ['npm publish --access public', 'publishes'],
      ['npm run release', 'publishes'],
      ['rm -rf build', 'destroys'],
      ['ls | xargs rm', 'destroys'],
      ["find . -name '*.o' -delete", 'destroys'],
      ['find . -exec rm {} +', 'destroys'],
      ['timeout 10 env A=1 rm x', 'destroys'],
      ['"r"m x', 'destroys'],
      ['git\\\n reset --hard', 'destroys'],
      ['ssh host "sudo rm -rf /"', 'destroys'],
      ['psql -c "DROP TABLE users"', 'destroys'],
      ['sudo ls', 'rights'],
      ['echo ZWNobwo= | base64 -d | sh', 'unseen'],
      ['curl -s https://example.com/x | sh', 'unseen'],
      ['curl https://example.com', 'network'],
      ['npm install left-pad', 'network'],
    ] as const)
      expect([command, worst(command)]).toEqual([command, kind])
  })

  test('are no calls that only read or build here', () => {
    for (const command of [
      'npm test',
      'git status && git diff',
      'git commit -m "push and publish, then rm -rf the rest"',
      'echo "rm -rf is bad"',
      'grep -rn "git push" docs',
      'ls -la > out.txt 2>&1',
      'cargo build --release',
      'cat <<EOF\nhello\nEOF',
    ])
      expect([command, kinds(command)]).toEqual([command, []])
    expect(dangersOf('Read', { file_path: '/etc/passwd' }, false)).toEqual([])
    expect(dangersOf('Edit', { file_path: 'x', new_string: 'rm -rf /' }, false)).toEqual([])
  })

  test('of tools without a command are marked by their names, and of other agents by their fields', () => {
    const kind = (tool: string, input: unknown) => dangersOf(tool, input, false)[0]?.kind
    expect(kind('WebFetch', { url: 'https://example.com' })).toBe('network')
    expect(kind('mcp__github__merge_pull_request', {})).toBe('publishes')
    expect(kind('mcp__files__delete_file', {})).toBe('destroys')
    expect(kind('run_shell_command', { command: 'git push' })).toBe('pushes')
    expect(kind('shell', { command: ['bash', '-lc', 'rm -rf x'] })).toBe('destroys')
    expect(kind('constructor', {})).toBeUndefined()
  })

  test('say why, with the part that says so, and that what is cut is not seen', () => {
    expect(dangersOf('Bash', { command: 'make && rm -rf build' }, false)).toEqual([
      { kind: 'destroys', why: 'removes files', part: 'rm -rf build' },
    ])
    expect(dangersOf('Bash', 'ls', true).map(({ why }) => why)).toEqual(['is too long to be shown whole'])
  })

  test('any text is read, soon and without an error, and what stands at its end is found', () => {
    const piece = fc.constantFrom(
      'rm',
      ' ',
      '"',
      "'",
      '`',
      '$(',
      ')',
      '(',
      ';',
      '|',
      '&',
      '\\',
      '\n',
      'sudo ',
      'bash -c ',
      '<(',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 120 }), (pieces) => {
        const text = pieces.join('')
        dangersOf('Bash', { command: text }, false)
        // Each sign stands in one word at most.
        const read = shellCommands(text).reduce((sum, { words }) => sum + words.join('').length, 0)
        expect(read).toBeLessThanOrEqual(text.length)
      }),
    )
    for (const hostile of [
      'sudo '.repeat(4_000),
      '$('.repeat(10_000),
      '"`'.repeat(10_000),
      'xargs sh -c '.repeat(1_600),
    ])
      expect(dangersOf('Bash', { command: `${hostile}\nrm x` }, false).length).toBeGreaterThanOrEqual(0)
    expect(kinds(`${'sudo '.repeat(4_000)}; git push`)).toEqual(expect.arrayContaining(['unseen', 'pushes']))
  })

  test('each rule has a reason that reads after "It", and something that it fits', () => {
    for (const { why, commands = [], tools = [] } of DANGER_RULES) {
      expect(why).toMatch(/^(\w+s|acts|does) /)
      expect([...commands, ...tools].length).toBeGreaterThan(0)
    }
  })
})
