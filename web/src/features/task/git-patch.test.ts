import { expect, test } from 'bun:test'
import { readPatch } from './git-patch'

test('files, what happened to them and their lines are read from a patch', () => {
  const patch = `diff --git a/a.ts b/a.ts
index 1..2 100644
--- a/a.ts
+++ b/a.ts
@@ -1,3 +1,3 @@ function a()
 one
-two
+2
@@ -10 +10,2 @@
+++ more
\\ No newline at end of file
diff --git a/old b/new name
similarity index 100%
rename from old
rename to new name
diff --git "a/gr\\303\\274n.txt" "b/gr\\303\\274n.txt"
new file mode 100644
--- /dev/null
+++ "b/gr\\303\\274n.txt"
@@ -0,0 +1 @@
+x
diff --git a/p.png b/p.png
deleted file mode 100644
Binary files a/p.png and /dev/null differ`
  expect(readPatch(patch)).toEqual([
    {
      path: 'a.ts',
      notes: [],
      hunks: [
        { oldStart: 1, newStart: 1, lines: [' one', '-two', '+2'] },
        { oldStart: 10, newStart: 10, lines: ['+++ more'] },
      ],
    },
    { path: 'new name', notes: ['renamed from old'], hunks: [] },
    { path: 'grün.txt', notes: ['new'], hunks: [{ oldStart: 0, newStart: 1, lines: ['+x'] }] },
    { path: 'p.png', notes: ['deleted', 'binary'], hunks: [] },
  ])
})

test('a patch that was cut, or is none, gives what there is', () => {
  expect(readPatch('')).toEqual([])
  expect(readPatch('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a')[0]?.hunks[0]?.lines).toEqual(['-a'])
})
