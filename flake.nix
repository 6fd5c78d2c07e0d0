{
  description = "What changed upstream of a local model server, with a receipt under every claim";

  # Rust 1.90 or later. `nix flake lock` pins it.
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";

  outputs = { self, nixpkgs }:
    let
      inherit (nixpkgs) lib;
      manifest = (lib.importTOML ./Cargo.toml).workspace.package;
      systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
      each = make: lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});

      headwater = pkgs: pkgs.rustPlatform.buildRustPackage {
        pname = "headwater";
        inherit (manifest) version;
        # What the build reads: another page of docs builds nothing anew.
        src = lib.fileset.toSource {
          root = ./.;
          fileset = lib.fileset.unions [
            ./Cargo.toml ./Cargo.lock ./migrations ./upstreams
            ./cli ./crawler ./demo ./queries ./store ./testkit
          ];
        };
        cargoLock.lockFile = ./Cargo.lock;
        cargoBuildFlags = [ "--package" "headwater" ];
        buildType = "dist";
        # The tests are run where the project is changed; checks.demo runs the program.
        doCheck = false;
        nativeBuildInputs = [ pkgs.installShellFiles pkgs.makeBinaryWrapper ];
        postInstall = ''
          wrapProgram $out/bin/headwater --prefix PATH : ${lib.makeBinPath [ pkgs.gitMinimal ]}
        '' + lib.optionalString (pkgs.stdenv.buildPlatform.canExecute pkgs.stdenv.hostPlatform) ''
          $out/bin/headwater man manual
          installManPage manual/*.1
          installShellCompletion --cmd headwater \
            --bash <($out/bin/headwater completions bash) \
            --zsh <($out/bin/headwater completions zsh) \
            --fish <($out/bin/headwater completions fish)
        '';
        meta = {
          description = manifest.description;
          license = [ lib.licenses.mit lib.licenses.asl20 ];
          mainProgram = "headwater";
          platforms = systems;
        };
      };
    in
    {
      packages = each (pkgs: { default = headwater pkgs; headwater = headwater pkgs; });

      overlays.default = final: _: { headwater = headwater final; };

      apps = each (pkgs: {
        default = {
          type = "app";
          program = lib.getExe (headwater pkgs);
          meta.description = manifest.description;
        };
      });

      checks = each (pkgs: {
        package = headwater pkgs;
        demo = pkgs.runCommand "headwater-demo" { nativeBuildInputs = [ (headwater pkgs) ]; } ''
          export HOME=$TMPDIR
          headwater demo > $out
        '';
      });

      devShells = each (pkgs: {
        default = pkgs.mkShell {
          packages = with pkgs; [ cargo clippy rustc rustfmt rust-analyzer git cargo-deny ];
        };
      });

      formatter = each (pkgs: pkgs.nixfmt);
    };
}
