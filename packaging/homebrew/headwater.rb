# In a tap of your own: brew tap-new YOU/tap, put this file into its Formula/, and
# brew install --HEAD YOU/tap/headwater. There is no release yet, and so neither url nor sha256.
class Headwater < Formula
  desc "What changed upstream of a local model server, with receipts"
  # Put the repository's address here, and below: headwater.invalid is nobody's.
  homepage "https://headwater.invalid/headwater"
  license any_of: ["MIT", "Apache-2.0"]
  head "https://headwater.invalid/headwater.git", branch: "main"

  depends_on "rust" => :build
  uses_from_macos "git"

  def install
    system "cargo", "install", "--profile", "dist", *std_cargo_args(path: "cli")
    generate_completions_from_executable(bin/"headwater", "completions")
    system bin/"headwater", "man", "manual"
    man1.install Dir["manual/*.1"]
  end

  test do
    assert_match(/^headwater \d/, shell_output("#{bin}/headwater --version"))
    story = shell_output("#{bin}/headwater demo")
    assert_match "repeat_penalty", story
    assert_match "headwater why ollama", story
  end
end
