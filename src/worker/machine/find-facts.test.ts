import { afterAll, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findMachine, findRepositories } from './find-facts'

const root = mkdtempSync(join(tmpdir(), 'lode-facts-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const put = (file: string, text: string): string => {
  const path = join(root, file)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

test('a container has the memory of its limit, and a GPU is found by its driver', async () => {
  const places = { mirrors: join(root, 'none'), env: { PATH: join(root, 'bin') }, root }
  expect(await findMachine(places)).toMatchObject({ platform: process.platform, arch: process.arch, gpus: [] })
  expect(findRepositories(places)).toEqual([])
  put('sys/fs/cgroup/memory.max', '268435456\n')
  put('sys/class/kfd/kfd/topology/nodes/0/properties', 'cpu_cores_count 8\nsimd_count 0\n')
  put('sys/class/kfd/kfd/topology/nodes/1/properties', 'simd_count 304\n')
  put('sys/class/kfd/kfd/topology/nodes/1/name', 'gfx942\n')
  expect(await findMachine(places)).toMatchObject({ memoryBytes: 268_435_456, gpus: ['gfx942'] })
  chmodSync(put('bin/nvidia-smi', '#!/bin/sh\necho "NVIDIA H100"\necho "NVIDIA H100"\n'), 0o755)
  expect((await findMachine(places)).gpus).toEqual(['NVIDIA H100', 'NVIDIA H100'])
  put('sys/fs/cgroup/memory.max', 'max\n')
  expect((await findMachine(places)).memoryBytes).toBeGreaterThan(268_435_456)
})
