import { expect, test } from 'bun:test'
import { denyRules } from './deny-rules'

const rules = (...given: string[]) => denyRules(given, { cwd: '/repo', userHome: '/home/user' })

test('a rule of a worker becomes one of the CLI, with whole paths', () => {
  expect(rules('Bash(rm *)', 'Task', 'Edit(src/a.ts)', 'Edit(~/.bashrc)', 'Read(/etc/**)')).toEqual([
    'Bash(rm *)',
    'Task',
    'Edit(//repo/src/a.ts)',
    'Edit(//home/user/.bashrc)',
    'Read(//etc/**)',
  ])
})

test('a star in a path stands for folders as well', () => {
  expect(rules('Edit(**/.git/**)')).toEqual(['Edit(//**/.git/**)'])
  expect(rules('Read(/etc/*)')).toEqual(['Read(//etc/**)'])
  expect(rules('Edit(/a/x*.ts)')).toEqual(['Edit(//a/x*.ts)', 'Edit(//a/x*/**/*.ts)'])
})

test('a rule for a folder stands for all in it', () => {
  expect(rules('Read(/a)', 'Read(/a/**)', 'Read(/a/b)', 'Edit(/a/**)', 'Read(/ab)')).toEqual([
    'Read(//a)',
    'Edit(//a/**)',
    'Read(//ab)',
  ])
  expect(rules('Read(/a/db*)', 'Read(/a/db*/**)')).toEqual(['Read(//a/db*)'])
})

test('what the CLI can not express is refused more widely', () => {
  expect(rules('WebFetch(https://example.com/private/*)')).toEqual(['WebFetch(domain:example.com)'])
  expect(rules('WebFetch(*private*)')).toEqual(['WebFetch'])
  expect(rules('mcp__fs__write(/etc/*)', 'mcp__fs__*')).toEqual(['mcp__fs__write', 'mcp__fs__*'])
  expect(rules('Web*')).toEqual(['WebFetch', 'WebSearch'])
  expect(rules('*')).toContain('Bash')
})
