# Installs Lodeline for this user:  .\install.ps1 [-From URL|FOLDER] [-Prefix FOLDER]
#
# The package comes from -From: an address (HTTPS) or a folder; without it from where this release was published, or else from the folder
# of this script. Its SHA-256 sum must be the one that stands below. The program goes to PREFIX\lodeline.
param([string]$From = '@URL@', [string]$Prefix = "$env:LOCALAPPDATA\Programs")
$ErrorActionPreference = 'Stop'

$version = '@VERSION@'
$sums = @'
@SUMS@
'@

if ($env:PROCESSOR_ARCHITECTURE -notin 'AMD64', 'ARM64') { throw "There is no release for $env:PROCESSOR_ARCHITECTURE." }
# Windows on ARM runs the program for x64.
$file = "lodeline-win32-x64-$version.tgz"
$line = $sums -split "`r?`n" | Where-Object { $_.EndsWith("  $file") } | Select-Object -First 1
if (-not $line) { throw 'This release has no package for Windows.' }
$wanted = $line.Substring(0, 64)

if (-not $From) { $From = $PSScriptRoot }
New-Item -ItemType Directory -Force $Prefix | Out-Null
$work = Join-Path $Prefix ".lodeline-$PID"
New-Item -ItemType Directory $work | Out-Null
try {
  $package = Join-Path $work $file
  if ($From -like 'https://*') { Invoke-WebRequest -UseBasicParsing -Uri "$($From.TrimEnd('/'))/$file" -OutFile $package }
  elseif ($From -like '*://*') { throw "${From}: only https is fetched from." }
  else { Copy-Item (Join-Path $From $file) $package }
  $sum = (Get-FileHash -Algorithm SHA256 $package).Hash.ToLower()
  if ($sum -ne $wanted) { throw "$file has the SHA-256 sum $sum, but $wanted is wanted. Nothing was installed." }
  tar -xzf $package -C $work
  if ($LASTEXITCODE -ne 0) { throw 'tar could not unpack the package.' }
  # Read by 'lode upgrade' and 'lode uninstall'.
  [IO.File]::WriteAllText((Join-Path $work 'package\installed-by'), "script`n$From`n")
  $place = Join-Path $Prefix 'lodeline'
  if (Test-Path $place) {
    if (-not (Test-Path (Join-Path $place 'installed-by'))) { throw "$place is there already, and is not Lodeline." }
    Move-Item $place (Join-Path $work 'before')
  }
  Move-Item (Join-Path $work 'package') $place
} finally {
  Remove-Item -Recurse -Force $work -ErrorAction SilentlyContinue
}
$bin = Join-Path $place 'bin'
$path = [Environment]::GetEnvironmentVariable('Path', 'User')
if (($path -split ';') -notcontains $bin) { [Environment]::SetEnvironmentVariable('Path', "$path;$bin".TrimStart(';'), 'User') }
Write-Output "installed lode $version in $place. Open a new terminal, and start it:  lode up"
