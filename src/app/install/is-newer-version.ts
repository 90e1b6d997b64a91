/** Whether one version (`1.2.3`, or `1.2.3-rc.1`) is newer than another. A version with an ending comes before the same one without. */
export function isNewerVersion(one: string, other: string): boolean {
  const [numbers, ending] = parts(one)
  const [otherNumbers, otherEnding] = parts(other)
  for (const [i, number] of numbers.entries()) {
    const difference = number - (otherNumbers[i] ?? 0)
    if (difference !== 0) return difference > 0
  }
  if (ending === otherEnding || ending !== '')
    return ending !== otherEnding && otherEnding !== '' && ending > otherEnding
  return true
}

function parts(version: string): [number[], string] {
  const [numbers = '', ...ending] = version.split('-')
  return [numbers.split('.').map(Number), ending.join('-')]
}
