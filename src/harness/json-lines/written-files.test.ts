import { expect, test } from 'bun:test'
import { filesIn } from '../codex/content/patch'
import { filesOf as filesOfCopilot } from '../copilot/tools'
import { filesOf as filesOfOpencode } from '../opencode/tools'
import { patchedFiles, writtenFiles } from './written-files'

const PATCH =
  '*** Begin Patch\n*** Add File: a.ts\n+a\n*** Update File: b.ts\n*** Move to: c.ts\n@@\n-b\n+c\n*** End Patch'

test('a call names the files that it writes, each once, and others name none', () => {
  const tools = { Edit: 'file_path' }
  expect(writtenFiles(tools, 'Edit', { file_path: '/p/a' })).toEqual(['/p/a'])
  for (const input of [
    { file_path: '' },
    { file_path: 7 },
    { path: '/p/a' },
    null,
    'text',
    { file_path: 'x'.repeat(601) },
  ])
    expect(writtenFiles(tools, 'Edit', input)).toBeUndefined()
  expect(writtenFiles(tools, 'Read', { file_path: '/p/a' })).toBeUndefined()
  expect(writtenFiles(tools, 'constructor', { file_path: '/p/a' })).toBeUndefined()
})

test('a patch names the files that it adds, changes, moves and removes', () => {
  expect(patchedFiles(PATCH)).toEqual(['a.ts', 'b.ts', 'c.ts'])
  expect(patchedFiles('*** Delete File: d.ts')).toEqual(['d.ts'])
  expect(patchedFiles('no patch')).toBeUndefined()
  expect(patchedFiles('*** Add File: a\n'.repeat(5_000))).toEqual(['a'])
})

test('each agent CLI says it in its own way', () => {
  expect(filesIn({ cmd: `apply_patch <<'EOF'\n${PATCH}\nEOF` })).toEqual(['a.ts', 'b.ts', 'c.ts'])
  expect(filesIn({ cmd: 'ls' })).toBeUndefined()
  expect(filesOfCopilot('edit', { path: '/p/a' })).toEqual(['/p/a'])
  expect(filesOfCopilot('str_replace_editor', { command: 'view', path: '/p/a' })).toBeUndefined()
  expect(filesOfCopilot('str_replace_editor', { command: 'insert', path: '/p/a' })).toEqual(['/p/a'])
  const tool = { toolUseId: 't', status: 'completed', answer: '', isInterrupted: false, metadata: {} } as const
  const opencode = (name: string, input: unknown) =>
    filesOfOpencode({ ...tool, name, input, attachments: [], start: null, end: null })
  expect(opencode('write', { filePath: '/p/a' })).toEqual(['/p/a'])
  expect(opencode('patch', { patchText: PATCH })).toEqual(['a.ts', 'b.ts', 'c.ts'])
})
