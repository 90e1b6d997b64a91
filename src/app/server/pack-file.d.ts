/** A pack of files that the build embeds: its path in the executable. */
declare module '*.pack' {
  const path: string
  export default path
}
