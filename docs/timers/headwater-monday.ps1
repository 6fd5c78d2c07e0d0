# The Monday look on Windows: fetch what is new, write the digest and the brief.
# Exit status: 3 where the rig is not what it should be, 2 where a step failed, else 0.
#
# Once, in a shell of your own (not as another user, whose AppData is another):
#   schtasks /Create /TN "headwater Monday" /SC WEEKLY /D MON /ST 07:17 /TR "powershell.exe -NoProfile -ExecutionPolicy Bypass -File \"%USERPROFILE%\bin\headwater-monday.ps1\""
$ErrorActionPreference = 'Continue'
$out = Join-Path $env:LOCALAPPDATA 'headwater\monday'
New-Item -ItemType Directory -Force -Path $out | Out-Null
$log = Join-Path $out 'log.txt'
"$(Get-Date -Format o)" | Set-Content $log
$script:worst = 0

function Step {
    & headwater.exe @args *>> $log
    $status = $LASTEXITCODE
    if ($status -ne 0) {
        "headwater $args ended with $status" | Add-Content $log
        if ($status -eq 3 -or $script:worst -eq 0) { $script:worst = $status }
    }
}

Step crawl ollama
Step crawl ollama --notes
Step crawl llama.cpp
Step digest --since-last --format md --output (Join-Path $out 'digest.md')
Step brief --output (Join-Path $out 'brief.md')

if ($script:worst -ne 0) {
    $title = if ($script:worst -eq 3) { 'headwater: ALERT' } else { 'headwater: a step failed' }
    $why = if ($script:worst -eq 3) { Get-Content (Join-Path $out 'brief.md') -TotalCount 1 } else { "see $log" }
    # A window that stays until somebody closes it.
    (New-Object -ComObject WScript.Shell).Popup("$why`n`n$out", 0, $title, 16) | Out-Null
}
exit $script:worst
