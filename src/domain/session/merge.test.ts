import { expect, test } from 'bun:test'
import { mergeAsked, mergesIn, OWN_REQUEST } from './merge'

const AT = 'https://github.com/o/r/pull/12'

test('an output says that requests were merged: by gh, glab, git and in JSON', () => {
  expect(mergesIn('✓ Squashed and merged pull request o/r#12 (Light the quay)\n✓ Deleted branch quay')).toEqual(['#12'])
  expect(mergesIn('! Pull request o/r#12 was already merged')).toEqual(['#12'])
  expect(
    mergesIn('1a2b3c4 (HEAD -> main, origin/main) Merge pull request #12 from o/quay\n2b3c4d5 Light the buoys (#13)'),
  ).toEqual(['#12', '#13'])
  expect(mergesIn('commit 1a2b3c4\n\n    Merge pull request #012 from o/quay\n')).toEqual(['#12'])
  expect(mergesIn("    Merge branch 'quay' into 'main'\n\n    See merge request g/s/r!4\n")).toEqual(['#4'])
  expect(mergesIn('12\tLight the quay\tquay\tMERGED\t2026-11-20T10:00:00Z\n13\tBuoys\tb\tOPEN\t2026')).toEqual(['#12'])
  expect(mergesIn(`title:\tLight\nstate:\tMERGED\nurl:\t${AT}\n--\nstate:\tOPEN`)).toEqual([AT])
  expect(mergesIn(JSON.stringify({ number: 12, state: 'MERGED', url: AT }))).toEqual([AT])
  expect(
    mergesIn(
      JSON.stringify([
        { number: 12, mergedAt: '2026-11-20T10:00:00Z' },
        { number: 13, mergedAt: null },
      ]),
    ),
  ).toEqual(['#12'])
  expect(mergesIn('{"iid":4,"state":"merged","web_url":"https://gitlab.com/g/r/-/merge_requests/4"}')).toEqual([
    'https://gitlab.com/g/r/-/merge_requests/4',
  ])
})

test('what is open, spoken of, or says no request, is not merged', () => {
  for (const output of [
    'state:\tOPEN',
    'I think that Merge pull request #12 from o/quay is next',
    'Light the quay (#12)',
    'git log shows 1a2b3c4 Light (#12)',
    '{"number":12,"state":"OPEN","mergedAt":null,"merged":false}',
    '{"merged":true}',
    '{"merged":true,"number":"12"}',
    `{"state":"MERGED","url":"javascript:alert(1)"}`,
    '[null,7,"merged"]',
    '{"merged": tru',
  ])
    expect([output, mergesIn(output)]).toEqual([output, []])
})

test('a hostile output costs little and gives few', () => {
  const many = Array.from({ length: 5_000 }, (_, at) => `1a2b3c4 x (#${at})`).join('\n')
  expect(mergesIn(many)).toHaveLength(20)
  const before = performance.now()
  mergesIn(`${'1a2b3c4 (('.repeat(3_000)}\n`.repeat(20))
  mergesIn(`{"merged":${'['.repeat(15_000)}`)
  expect(performance.now() - before).toBeLessThan(1_000)
})

test('a call merges the request that it names, the own one where it names none, and none where it merges later', () => {
  const asked = (command: string) => mergeAsked(`Bash\n${command}\nMerge it`, 'Bash')
  expect(asked('gh pr merge 12 --squash --delete-branch')).toBe('#12')
  expect(asked(`cd /r && gh pr merge "${AT}" -s`)).toBe(AT)
  expect(asked('gh pr merge --squash -t 13')).toBe(OWN_REQUEST)
  expect(asked('gh pr checks 12 && gh pr merge --merge -R o/r 12; git pull')).toBe('#12')
  expect(asked('glab mr merge 4 -y')).toBe('#4')
  for (const none of [
    'gh pr merge 12 --auto',
    'gh pr view 12',
    'echo gh pr merged',
    'echo gh pr merge 12',
    'gh pr merge quay --squash',
  ])
    expect([none, asked(none)]).toEqual([none, null])
  expect(
    mergeAsked(
      'mcp__github__merge_pull_request\n{"owner":"o","repo":"r","pullNumber":12}',
      'mcp__github__merge_pull_request',
    ),
  ).toBe('#12')
  expect(mergeAsked('mcp__github__merge_pull_request\n{"owner":"o"}', 'mcp__github__merge_pull_request')).toBeNull()
})
